from torch import nn

ACTIVATIONS = {
    "mish": lambda x: nn.functional.mish(x),
    "leaky": lambda x: nn.functional.leaky_relu(x, 0.1),
    "relu": lambda x: nn.functional.relu(x),
}


class Convolutional(nn.Module):
    def __init__(self, filters_in, filters_out, kernel, stride=1, activate="mish"):
        super().__init__()
        self.conv = nn.Conv2d(filters_in, filters_out, kernel, stride, kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(filters_out)
        self.activate = ACTIVATIONS[activate]

    def forward(self, x):
        return self.activate(self.norm(self.conv(x)))


class CSPBlock(nn.Module):
    def __init__(self, filters, activate):
        super().__init__()
        self.block = nn.Sequential(
            Convolutional(filters, filters // 2, 1, activate=activate),
            Convolutional(filters // 2, filters, 3, activate=activate),
        )

    def forward(self, x):
        residual = x
        out = self.block(x)
        out += residual
        return out


class CSPDarknet(nn.Module):
    def __init__(self, stem, blocks, activate):
        super().__init__()
        self.stem_conv = Convolutional(3, stem, 3, activate=activate)
        self.stages = nn.ModuleList()
        for stage, count in enumerate(blocks):
            filters = stem * 2 ** (stage + 1)
            down = Convolutional(filters // 2, filters, 3, stride=2, activate=activate)
            rest = [CSPBlock(filters, activate) for _ in range(count)]
            self.stages.append(nn.Sequential(down, *rest))

    def forward(self, x):
        x, features = self.stem_conv(x), []
        for stage in self.stages:
            x = stage(x)
            features.append(x)
        return features
