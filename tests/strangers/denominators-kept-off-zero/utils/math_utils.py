def safe_divide(numerator, denominator, eps=1e-8):
    for x in (numerator, denominator):
        x[(x >= 0) & (x < eps)] = eps
        x[(x <= 0) & (x > -eps)] = -eps
    return numerator / denominator
