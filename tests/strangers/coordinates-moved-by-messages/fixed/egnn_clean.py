import torch
from torch import nn


def unsorted_segment_mean(data, segment_ids, num_segments):
    shape = (num_segments, data.size(1))
    total = data.new_zeros(shape).index_add(0, segment_ids, data)
    return total / torch.bincount(segment_ids, minlength=num_segments).clamp(min=1)[:, None]


class E_GCL(nn.Module):
    def __init__(self, nf):
        super().__init__()
        self.edge_mlp = nn.Sequential(nn.Linear(2 * nf + 1, nf), nn.SiLU(), nn.Linear(nf, nf))
        self.node_mlp = nn.Sequential(nn.Linear(2 * nf, nf), nn.SiLU(), nn.Linear(nf, nf))
        self.coord_mlp = nn.Linear(nf, 1, bias=False)

    def coord_model(self, coord, edge_index, coord_diff, edge_feat):
        row, col = edge_index
        trans = coord_diff * self.coord_mlp(edge_feat)
        agg = unsorted_segment_mean(trans, row, num_segments=coord.size(0))
        coord = coord + agg
        return coord

    def forward(self, h, edge_index, coord):
        row, col = edge_index
        coord_diff = coord[row] - coord[col]
        radial = coord_diff.square().sum(1, keepdim=True)
        edge_feat = self.edge_mlp(torch.cat([h[row], h[col], radial], dim=1))
        coord = self.coord_model(coord, edge_index, coord_diff, edge_feat)
        agg = unsorted_segment_mean(edge_feat, row, num_segments=h.size(0))
        return h + self.node_mlp(torch.cat([h, agg], dim=1)), coord


class EGNN(nn.ModuleList):
    def forward(self, h, x, edge_index):
        for layer in self:
            h, x = layer(h, edge_index, coord=x)
        return h, x
