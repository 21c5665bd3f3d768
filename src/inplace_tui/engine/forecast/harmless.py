"""Nodes whose own computation never fails, once the forward did not.

What can go wrong with them is what they saved; so a graph of nothing else can be
judged by its saved tensors. Every other node may refuse (an SVD with equal singular
values, a derivative that is not implemented, a Function of the program's own), and
only running it tells.
"""

from __future__ import annotations

_BACKWARDS = """
    Abs:0 Acos:0 Acosh:0 AdaptiveAvgPool2D:0 AdaptiveAvgPool3D:0 AdaptiveMaxPool2D:0
    AdaptiveMaxPool3D:0 Add:01 Addbmm:0 Addcdiv:0 Addcmul:0 Addmm:0 Addmv:0 Addr:0 Alias:0
    Amax:0 Amin:0 Aminmax:0 Angle:0 AsStrided:01 AsStridedScatter:0 Asin:0 Asinh:0 Atan:0
    Atan2:0 Atanh:0 AvgPool2D:0 AvgPool3D:0 Baddbmm:0 BatchNormWithUpdate:0 BinaryCrossEntropy:0
    BinaryCrossEntropyWithLogits:0 Bmm:0 Cat:0 Ceil:0 Celu:01 ChannelShuffle:0 Clamp:01
    ClampMax:1 ClampMin:01 Clone:0 Conj:0 ConjPhysical:01 ConstantPadNd:0 Convolution:0
    Copysign:01 Cos:0 Cosh:0 Cummax:0 Cummin:0 Cumprod:0 Cumsum:0 Deg2Rad:0 DiagEmbed:0
    Diagonal:0 DiagonalScatter:0 Digamma:0 Dist:0 Div:012 Dot:0 Elu:01 Embedding:0 Eq:1 Erf:0
    Erfc:0 Erfinv:0 Exp:0 Exp2:0 Expand:0 Expm1:0 Fill:0123 Flip:0 Floor:0 Fmax:0 Fmin:0 Fmod:1
    Gather:0 Ge:1 Gelu:0 Glu:0 Gt:1 Hardshrink:0 Hardsigmoid:0 Hardswish:0 Hardtanh:0
    HuberLoss:0 Hypot:0 Im2Col:0 Index:0 IndexAdd:0 IndexCopy:0 IndexFill:01 IndexPut:0
    IndexSelect:0 Kthvalue:0 Le:1 LeakyRelu:01 Lerp:01 Lgamma:0 LinalgCross:0 LinalgVectorNorm:0
    Log:0 Log10:0 Log1P:0 Log2:0 LogSigmoid:0 LogSoftmax:0 Logaddexp:0 Logaddexp2:0
    Logcumsumexp:0 Logit:0 Logsumexp:0 Lt:1 MaskedFill:01 MaskedScatter:0 MaskedSelect:0 Max:01
    MaxPool2DWithIndices:0 MaxPool3DWithIndices:0 Maximum:0 Mean:01 Median:01 Min:01 Minimum:0
    Mish:0 Mm:0 Mode:0 MseLoss:0 Mul:01 Mv:0 NanToNum:0 Nanmedian:01 Nansum:0 NarrowCopy:0
    NativeBatchNorm:0 NativeBatchNormLegit:01 NativeDropout:0 NativeGroupNorm:0
    NativeLayerNorm:0 Ne:1 Neg:0 NllLoss:0 NllLoss2D:0 Permute:0 PixelShuffle:0 PixelUnshuffle:0
    Pow:01 PreluKernel:0 Prod:01 Put:0 Rad2Deg:0 Reciprocal:0 ReflectionPad1D:0
    ReflectionPad2D:0 ReflectionPad3D:0 Relu:0 Remainder:1 Repeat:0 ReplicationPad1D:0
    ReplicationPad2D:0 ReplicationPad3D:0 ReshapeAlias:0 Roll:0 Round:01 RreluWithNoise:01
    Rsqrt:0 Rsub:01 Scatter:01 ScatterAdd:0 Select:0 SelectScatter:0 Sgn:0 Sigmoid:0 Sign:0
    Silu:0 Sin:0 Sinc:0 Sinh:0 Slice:0 SliceScatter:0 SmoothL1Loss:0 SoftMarginLoss:0 Softmax:0
    Softplus:0 Softshrink:0 Sort:01 SpecialEntr:0 SpecialErfcx:0 SpecialLogNdtr:0 SpecialNdtri:0
    SpecialXlog1Py:0 Split:0 SplitWithSizes:0 Sqrt:0 Squeeze:012345 Stack:0 Std:0 StdMean:0
    Sub:01 Sum:01 T:01 Take:0 Tan:0 Tanh:0 Threshold:01 ToCopy:0 Topk:0 Trace:0 Transpose:01
    Tril:0 Triu:0 Trunc:0 Unbind:0 UnsafeSplit:0 UnsafeView:0 Unsqueeze:01 UpsampleBicubic2D:0
    UpsampleBilinear2D:0 UpsampleLinear1D:0 UpsampleNearest1D:0 UpsampleNearest2D:0
    UpsampleNearest3D:0 UpsampleNearestExact1D:0 UpsampleNearestExact2D:0
    UpsampleNearestExact3D:0 Var:0 VarMean:0 View:0 Where:0 Xlogy:0 Zero:0
"""
"""`Add:01` stands for AddBackward0 and AddBackward1. The digit counts: `acosh_` has no
derivative, and its node is called AcoshBackward1."""

HARMLESS = frozenset(
    {
        "AccumulateGrad",
        "CopyBackwards",
        *(
            f"{name}Backward{digit}"
            for name, _, digits in (entry.partition(":") for entry in _BACKWARDS.split())
            for digit in digits
        ),
    }
)
