"""What a run says about who saved, who changed and who needed a tensor."""
