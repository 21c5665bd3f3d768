"""Modes: context managers to be in."""

import contextlib

import torch


def none():
    return contextlib.nullcontext()


def no_grad():
    return torch.no_grad()


def enable_grad():
    return torch.enable_grad()


def inference_mode():
    return torch.inference_mode()


def anomaly():
    return torch.autograd.detect_anomaly(check_nan=False)


def autocast():
    return torch.autocast("cpu", dtype=torch.bfloat16)


def one_thread():
    return torch.autograd.set_multithreading_enabled(False)


def saved_elsewhere():
    return torch.autograd.graph.save_on_cpu()


def saved_as_copies():
    return torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t)


def mutation_allowed():
    return torch.autograd.graph.allow_mutation_on_saved_tensors()


@contextlib.contextmanager
def deterministic():
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


@contextlib.contextmanager
def double():
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)
