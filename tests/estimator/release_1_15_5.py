"""What TensorFlow 1.15.5 computed on a CPU, with its TPUEstimator and use_tpu=False.

Measured with `problems.results`: the metrics of the evaluation, and of each prediction
and each variable after 200 steps the three numbers of `problems.condensed`.
"""

# fmt: off
METRICS = {
    "bert": {
        "accuracy": 1.0,
        "global_step": 200.0,
        "loss": 0.00384365301579237,
        "spread": 2.776350736618042,
    },
    "convolution": {
        "accuracy": 1.0,
        "global_step": 200.0,
        "loss": 0.18651089072227478,
        "spread": 1.0232070684432983,
    },
    "perceptron": {
        "accuracy": 1.0,
        "global_step": 200.0,
        "loss": 0.27848124504089355,
        "spread": 0.8472056984901428,
    },
}

PREDICTIONS = {
    "bert": {
        "answer": [22.0, 22.0, 1.7357637],
        "logits": [1.53018, 183.4471407, 0.7840211],
    },
    "convolution": {
        "answer": [22.0, 22.0, 1.7357637],
        "logits": [0.4785688, 67.6158552, 1.7240201],
    },
    "perceptron": {
        "answer": [22.0, 22.0, 1.7357637],
        "logits": [-0.0449725, 55.7978687, 0.6058427],
    },
}

VARIABLES = {
    "bert": {
        "attention_0/beta": [0.0038129, 0.3113217, -0.1321311],
        "attention_0/gamma": [15.9839738, 15.9839738, 0.6831179],
        "attention_1/beta": [0.0047246, 0.3230372, -0.1309243],
        "attention_1/gamma": [15.98428, 15.98428, 0.6844361],
        "dense/bias": [0.0012699, 0.019411, 0.0011284],
        "dense/kernel": [-0.1826412, 40.7638538, -0.3018606],
        "dense_1/bias": [-0.0, 0.0, -0.0],
        "dense_1/kernel": [-0.2368506, 40.8259156, 0.001346],
        "dense_10/bias": [0.0148445, 0.3256356, -0.0231686],
        "dense_10/kernel": [0.2590358, 81.5452547, 0.0570885],
        "dense_11/bias": [0.0, 0.3365112, -0.1300588],
        "dense_11/kernel": [-0.0239221, 57.8250261, -0.0384915],
        "dense_12/bias": [-0.0, 0.114846, -0.0553505],
        "dense_12/kernel": [-0.0076297, 10.3912339, -0.3632765],
        "dense_2/bias": [0.0288681, 0.3773822, -0.0226621],
        "dense_2/kernel": [-0.0732497, 40.6720262, 0.3011457],
        "dense_3/bias": [0.0, 0.3110827, -0.1324719],
        "dense_3/kernel": [0.1576295, 40.7807508, 0.3333505],
        "dense_4/bias": [0.0131074, 0.2927744, -0.020431],
        "dense_4/kernel": [0.1908436, 81.6478297, 0.0569113],
        "dense_5/bias": [-0.0, 0.3203149, -0.1327973],
        "dense_5/kernel": [-0.0881095, 57.7537252, 0.021369],
        "dense_6/bias": [0.0015926, 0.0284205, 0.0022782],
        "dense_6/kernel": [-0.1294928, 40.7231118, -0.3435325],
        "dense_7/bias": [-0.0, 0.0, -0.0],
        "dense_7/kernel": [-0.2455691, 40.8609306, -0.1001047],
        "dense_8/bias": [0.0349019, 0.4455584, -0.0152821],
        "dense_8/kernel": [-0.1357986, 40.7323545, 0.2350796],
        "dense_9/bias": [0.0, 0.3241682, -0.1310152],
        "dense_9/kernel": [0.0987319, 40.7383558, 0.365913],
        "embedding/beta": [0.0033117, 0.3089783, -0.130888],
        "embedding/gamma": [15.9802117, 15.9802117, 0.6839359],
        "global_step": [200.0, 200.0, 200.0],
        "output_0/beta": [0.0013952, 0.3189891, -0.1319904],
        "output_0/gamma": [15.9803655, 15.9803655, 0.6827985],
        "output_1/beta": [0.000946, 0.2463884, -0.1330647],
        "output_1/gamma": [16.7221503, 16.7221503, 0.7036944],
        "places": [-0.3610343, 27.9800948, 0.1042798],
        "words": [0.0292556, 39.1832269, 1.4975885],
    },
    "convolution": {
        "batch_normalization/beta": [-0.0011467, 0.0464816, -0.0423213],
        "batch_normalization/gamma": [4.8220469, 4.8220469, 0.467185],
        "batch_normalization/moving_mean": [0.0099515, 0.0209725, 0.0189753],
        "batch_normalization/moving_variance": [0.6062247, 0.6062247, 0.0274143],
        "conv2d/kernel": [0.7736157, 10.529817, 1.060732],
        "dense/bias": [0.0, 0.0459105, 0.0064331],
        "dense/kernel": [0.0416216, 14.8187178, -0.0163143],
        "global_step": [200.0, 200.0, 200.0],
    },
    "perceptron": {
        "dense/bias": [0.0508328, 0.2914453, -0.0082491],
        "dense/kernel": [0.3046399, 20.4242355, -0.4911341],
        "dense_1/bias": [-0.0, 0.0332966, 0.0197529],
        "dense_1/kernel": [-0.272064, 13.9733712, 0.2738229],
        "global_step": [200.0, 200.0, 200.0],
    },
}
