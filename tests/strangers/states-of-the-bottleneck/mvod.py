import torch
from torch import nn


class BottleneckLSTMCell(nn.Module):
    def __init__(self, input_channels, hidden_channels):
        super().__init__()
        self.hidden_channels = hidden_channels
        both = input_channels + hidden_channels
        self.Wy = nn.Conv2d(both, hidden_channels, 1)
        self.W = nn.Conv2d(hidden_channels, 4 * hidden_channels, 3, padding=1)

    def forward(self, x, h, c):
        b = self.Wy(torch.cat([x, h], 1))
        i, f, g, o = self.W(b).chunk(4, 1)
        cc = f.sigmoid() * c + i.sigmoid() * torch.relu(g)
        return o.sigmoid() * torch.relu(cc), cc


class BottleneckLSTM(nn.Module):
    def __init__(self, input_channels, hidden_channels, size):
        super().__init__()
        self.cell = BottleneckLSTMCell(input_channels, hidden_channels)
        self.hidden_state, self.cell_state = torch.zeros(2, 1, hidden_channels, *size)

    def forward(self, x):
        self.hidden_state, self.cell_state = self.cell(x, self.hidden_state, self.cell_state)
        return self.hidden_state


class MobileVOD(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.base_net = nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.ReLU6())
        self.bottleneck_lstm = BottleneckLSTM(4, 3, size=(4, 4))
        self.classifier = nn.Linear(3, classes)

    def detach_hidden(self):
        self.bottleneck_lstm.hidden_state.detach_()
        self.bottleneck_lstm.cell_state.detach_()

    def forward(self, x):
        return self.classifier(self.bottleneck_lstm(self.base_net(x)).mean((2, 3)))
