import torch
from prompts import PromptCache, SpeechTokenizer
from torch import nn

torch.manual_seed(31)


class Talker(nn.Module):
    def __init__(self, codes=20, characters=30, width=12):
        super().__init__()
        self.code_embedding = nn.Embedding(codes, width)
        self.text_embedding = nn.Embedding(characters, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, codes)

    def build_inputs(self, text, prompt, device="cpu"):
        ref_code = prompt["ref_code"].to(device)
        parts = [self.code_embedding(ref_code), self.text_embedding(text)]
        return torch.cat(parts).unsqueeze(0)

    def generate(self, text, prompt, length=6):
        output, state = self.rnn(self.build_inputs(text, prompt))
        codes = []
        for _ in range(length):
            code = self.head(output[:, -1]).argmax(1)
            codes.append(code.item())
            output, state = self.rnn(self.code_embedding(code).unsqueeze(1), state)
        return codes


cache = PromptCache(SpeechTokenizer())
talker = Talker().eval()
reference = torch.sin(torch.linspace(0, 40, 96)) + 0.1 * torch.randn(96)
for sentence in ("good morning", "see you soon"):
    text = torch.tensor([ord(letter) % 30 for letter in sentence])
    codes = talker.generate(text, cache.get("anna", reference))
    print(sentence, codes)
