import torch
from torch import nn


class SpeechTokenizer(nn.Module):
    """Nearest entry of a codebook for every frame of the reference audio."""

    def __init__(self, frame=8, codes=20):
        super().__init__()
        self.frame = frame
        self.register_buffer("codebook", torch.randn(codes, frame))

    @torch.inference_mode()
    def create_voice_prompt(self, audio):
        frames = audio.unfold(0, self.frame, self.frame)
        return {"ref_code": torch.cdist(frames, self.codebook).argmin(1), "rate": 24000}


class PromptCache:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.entries = {}

    def get(self, name, audio):
        if name not in self.entries:
            self.entries[name] = self.tokenizer.create_voice_prompt(audio)
        return self.entries[name]
