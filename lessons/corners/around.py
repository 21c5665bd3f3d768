"""Parts of a program that a mode can be on in: what begins it, a forward, a backward of its result.

A mode is a function that gives a context manager.
"""


def everything(mode, forward, backward):
    with mode():
        backward(forward())


def forward_alone(mode, forward, backward):
    with mode():
        result = forward()
    backward(result)


def backward_alone(mode, forward, backward):
    result = forward()
    with mode():
        backward(result)


def each_apart(mode, forward, backward):
    with mode():
        result = forward()
    with mode():
        backward(result)
