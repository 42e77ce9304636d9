"""The programs, each with how it is run and what its end is."""

from . import recipes
from .program import Edit, End, Program

BERT = "google-research/bert", "eedf5716ce1268e56f0a50264a88cafad334ac61"
CLOUDML = (
    "GoogleCloudPlatform/cloudml-samples",
    "efddc4a9898127e55edc0946557aca4bfaf59705",
)
BIOBERT = "dmis-lab/biobert", "e283eaab95788fb51b5567018fb52b39d4c1c039"
ALBERT = "google-research/albert", "b772393d3dae115b493258ce8e37c17b2cc62100"
TPU = "tensorflow/tpu", "7dc921f846c9e4071f3884b768a7ddf521272a49"

_BERT_FILES = "--vocab_file={data}/vocab.txt --bert_config_file={data}/bert_config.json"
_BERT_CONFIG = "--bert_config_file={data}/bert_config.json"
_BERT_ON_TPU = (
    "--output_dir={out}/model --max_seq_length=32 --train_batch_size=8 "
    "--iterations_per_loop=2 --use_tpu=true --tpu_name=local --num_tpu_cores=2"
)
WITHOUT_TPU = (("--use_tpu=true", "--use_tpu=false"),)
_ONE_STEP = (
    ("--iterations_per_loop=2", "--iterations_per_loop=1"),
    ("--num_tpu_cores=2", "--num_tpu_cores=1"),
)


def _template(name, script="trainer.py", arguments="", step=20):
    """Return a template of Cloud ML's, which fixes the number of cores at 8."""
    kind = script[len("trainer") : -len(".py")]
    return Program(
        f"cloudml-{name}{kind}".replace("_", "-"),
        *CLOUDML,
        commands=(
            f"{script} --model-dir={{out}}/model --save-checkpoints-steps=10 "
            f"--tpu=local {arguments}",
        ),
        folder=f"tpu/templates/{name}",
        end=End("20 steps", files=(f"out/model/**/model.ckpt-{step}.index",)),
        cores=8,
        on_tensorflow=(("--use-tpu", ""),),
    )


def _language(name, module, arguments, recipe, end):
    """Return a program of the package language, which imports BERT as a package."""
    return Program(
        f"language-{name}",
        "google-research/language",
        "865fae65f63ef7e6b2989d4ff8b47f61750415a8",
        commands=(f"-m language.{module} {arguments} {_BERT_FILES} {_BERT_ON_TPU}",),
        recipe=recipe,
        end=end,
        path=(".",),
        uses=(("google-research/bert", "bert"),),
        needs=("six",),
        on_tensorflow=WITHOUT_TPU,
    )


_STEPS = "--use-tpu --max-steps=20 --train-batch-size=16"

PROGRAMS = (
    Program(
        "bert-run-pretraining",
        *BERT,
        commands=(
            "create_pretraining_data.py --input_file={data}/text.txt "
            "--output_file={data}/text.tfrecord --vocab_file={data}/vocab.txt "
            "--max_seq_length=32 --max_predictions_per_seq=5 --dupe_factor=2",
            "run_pretraining.py --input_file={data}/text.tfrecord --do_train=true "
            "--do_eval=true --num_train_steps=20 --num_warmup_steps=5 "
            "--max_predictions_per_seq=5 --max_eval_steps=2 "
            f"{_BERT_CONFIG} {_BERT_ON_TPU}",
        ),
        recipe=recipes.bert,
        end=End(
            "data, 20 steps, evaluation",
            "masked_lm_accuracy = ",
            ("out/model/model.ckpt-20.index", "out/model/eval_results.txt"),
        ),
        needs=("six",),
        followed=_ONE_STEP,
        on_tensorflow=WITHOUT_TPU,
    ),
    Program(
        "bert-run-classifier",
        *BERT,
        commands=(
            "run_classifier.py --task_name=MRPC --data_dir={data} --do_train=true "
            "--do_eval=true --do_predict=true --num_train_epochs=10 "
            f"{_BERT_FILES} {_BERT_ON_TPU}",
        ),
        recipe=recipes.sentence_pairs,
        end=End(
            "20 steps, evaluation, predictions",
            files=(
                "out/model/model.ckpt-20.index",
                "out/model/eval_results.txt",
                "out/model/test_results.tsv",
            ),
        ),
        needs=("six",),
        followed=_ONE_STEP,
        on_tensorflow=WITHOUT_TPU,
    ),
    Program(
        "bert-run-squad",
        *BERT,
        commands=(
            "run_squad.py --train_file={data}/squad.json "
            "--predict_file={data}/squad.json --do_train=true --do_predict=true "
            "--num_train_epochs=20 --doc_stride=8 --max_query_length=8 "
            f"{_BERT_FILES} {_BERT_ON_TPU}",
        ),
        recipe=recipes.questions,
        end=End(
            "20 steps, predictions",
            files=("out/model/model.ckpt-20.index", "out/model/predictions.json"),
        ),
        needs=("six",),
        followed=_ONE_STEP,
        on_tensorflow=WITHOUT_TPU,
    ),
    Program(
        "bert-extract-features",
        *BERT,
        commands=(
            "run_classifier.py --task_name=MRPC --data_dir={data} --do_train=true "
            f"--num_train_epochs=1 {_BERT_FILES} {_BERT_ON_TPU}",
            "extract_features.py --input_file={data}/text.txt --layers=-1,-2 "
            "--output_file={out}/features.json --max_seq_length=32 --batch_size=8 "
            "--init_checkpoint={out}/model/model.ckpt-2 --use_tpu=true "
            f"--num_tpu_cores=2 --use_one_hot_embeddings=true {_BERT_FILES}",
        ),
        recipe=recipes.sentence_pairs,
        end=End("features of each line", files=("out/features.json",)),
        edits=(
            Edit(
                "extract_features.py",
                "predict_batch_size=FLAGS.batch_size)",
                "predict_batch_size=FLAGS.batch_size, train_batch_size=8)",
                "TensorFlow 1.15 refuses use_tpu=True without a train_batch_size, too",
            ),
        ),
        needs=("six",),
        on_tensorflow=WITHOUT_TPU,
    ),
    Program(
        "tpu-mnist",
        *TPU,
        commands=(
            "mnist_tpu.py --data_dir={data} --model_dir={out}/model --batch_size=16 "
            "--train_steps=20 --eval_steps=2 --iterations=5 --num_shards=2 --tpu=local",
        ),
        folder="models/official/mnist",
        recipe=recipes.digits,
        end=End(
            "20 steps, evaluation, predictions",
            'Prediction is "',
            ("out/model/model.ckpt-20.index",),
        ),
        followed=(
            ("--iterations=5", "--iterations=1 --use_tpu"),
            ("shards=2", "shards=1"),
        ),
        on_tensorflow=(("--use_tpu", "--nouse_tpu"), ("--tpu=local", "--tpu=")),
    ),
    Program(
        "tpu-resnet",
        *TPU,
        commands=(
            "resnet_main.py --data_dir= --model_dir={out}/model --resnet_depth=18 "
            "--image_size=32 --train_batch_size=8 --eval_batch_size=8 --train_steps=4 "
            "--steps_per_eval=4 --num_eval_images=8 --num_train_images=32 "
            "--iterations_per_loop=2 --num_cores=2 --num_label_classes=10 --tpu=local "
            "--precision=float32 --transpose_input=false",
        ),
        folder="models/official/resnet",
        path=("models",),
        end=End("4 steps, evaluation", "", ("out/model/model.ckpt-4.index",)),
    ),
    _template("tpu_estimator", arguments=_STEPS),
    _template("tpu_cnn_estimator", arguments=_STEPS),
    _template("tpu_lstm_estimator", arguments=_STEPS),
    _template("tpu_grl_estimator", arguments=_STEPS),
    _template("tpu_rewrite", arguments="--max-steps=20", step=11),
    _template("tpu_rewrite", "trainer_infeed_outfeed.py", "--max-steps=20"),
    Program(
        "gpt2-train",
        "ConnorJL/GPT2",
        "936fe2a21fad221cb07d0157c00fbb0780c7d114",
        commands=("main.py --model=tiny.json --tpu=local",),
        recipe=recipes.web_texts,
        data=".",
        end=End("20 steps, evaluation", "Done!", ("**/model/model.ckpt-20.index",)),
        needs=("regex",),
    ),
    Program(
        "gpt2-ml-train",
        "imcaspar/gpt2-ml",
        "f6286b16cbbee6dddbe1ba557fffb47eaf998cd1",
        commands=(
            "train/train_tpu.py --config_file={data}/config.json "
            "--input_file={data}/tokens.tfrecord --output_dir={out}/model "
            "--max_seq_length=32 --train_batch_size=4 --num_train_steps=20 "
            "--num_warmup_steps=5 --iterations_per_loop=5 --use_tpu=true "
            "--tpu_name=local --num_tpu_cores=2",
        ),
        recipe=recipes.tokens,
        path=(".",),
        edits=(
            Edit(
                "train/train_tpu.py",
                "import tensorflow.compat.v1 as tf",
                "import tensorflow as tf",
                "TensorFlow 1.15 has no tf.compat.v1.contrib either",
            ),
            Edit(
                "train/utils.py",
                "import tensorflow.compat.v1 as tf",
                "import tensorflow as tf",
                "TensorFlow 1.15 has no tf.compat.v1.contrib either",
            ),
            Edit(
                "train/modeling.py",
                "import tensorflow.compat.v1 as tf",
                "import tensorflow as tf",
                "TensorFlow 1.15 has no tf.compat.v1.contrib either",
            ),
        ),
        end=End("20 steps", files=("out/model/model.ckpt-20.index",)),
        on_tensorflow=WITHOUT_TPU,
    ),
    Program(
        "biobert-run-classifier",
        *BIOBERT,
        commands=(
            "run_classifier.py --task_name=MRPC --data_dir={data} --do_train=true "
            "--do_eval=true --do_predict=true --num_train_epochs=10 "
            f"{_BERT_FILES} {_BERT_ON_TPU}",
        ),
        recipe=recipes.sentence_pairs,
        end=End(
            "20 steps, evaluation, predictions",
            files=("out/model/model.ckpt-20.index", "out/model/test_results.tsv"),
        ),
        needs=("six",),
        followed=_ONE_STEP,
        on_tensorflow=WITHOUT_TPU,
    ),
    Program(
        "biobert-run-re",
        *BIOBERT,
        commands=(
            "run_re.py --task_name=gad --data_dir={data} --do_train=true "
            "--do_eval=true --do_predict=true --num_train_epochs=10 "
            f"{_BERT_FILES} {_BERT_ON_TPU}",
        ),
        recipe=recipes.labelled_sentences,
        end=End(
            "20 steps, evaluation, predictions",
            files=("out/model/model.ckpt-20.index", "out/model/test_results.tsv"),
        ),
        needs=("six",),
        followed=_ONE_STEP,
        on_tensorflow=WITHOUT_TPU,
    ),
    Program(
        "biobert-run-qa",
        *BIOBERT,
        commands=(
            "run_qa.py --train_file={data}/squad.json "
            "--predict_file={data}/squad.json --do_train=true --do_predict=true "
            "--num_train_epochs=20 --doc_stride=8 --max_query_length=8 "
            f"{_BERT_FILES} {_BERT_ON_TPU}",
        ),
        recipe=recipes.questions,
        end=End(
            "20 steps, predictions",
            files=("out/model/model.ckpt-20.index", "out/model/predictions.json"),
        ),
        needs=("six",),
        followed=_ONE_STEP,
        on_tensorflow=WITHOUT_TPU,
    ),
    Program(
        "albert-pretraining",
        *ALBERT,
        commands=(
            "bert/create_pretraining_data.py --input_file={data}/text.txt "
            "--output_file={data}/text.tfrecord --vocab_file={data}/vocab.txt "
            "--max_seq_length=32 --max_predictions_per_seq=5 --dupe_factor=2",
            "-m albert.run_pretraining --input_file={data}/text.tfrecord "
            "--do_train=true --do_eval=true --num_train_steps=20 "
            "--num_warmup_steps=5 --max_predictions_per_seq=5 --max_eval_steps=2 "
            "--eval_batch_size=8 --albert_config_file={data}/albert_config.json "
            f"{_BERT_ON_TPU}",
        ),
        uses=(("google-research/albert", "albert"), ("google-research/bert", "bert")),
        path=(".",),
        recipe=recipes.albert,
        end=End(
            "20 steps, evaluation", "masked_lm_accuracy", ("out/model/model.ckpt-20*",)
        ),
        needs=("six",),
        on_tensorflow=WITHOUT_TPU,
    ),
    Program(
        "lasertagger",
        "google-research/lasertagger",
        "0bfa546e755814b28163dad039ab6d9f53f82bb8",
        commands=(
            "preprocess_main.py --input_file={data}/pairs.tsv --input_format=wikisplit "
            "--output_tfrecord={data}/train.tfrecord --vocab_file={data}/vocab.txt "
            "--label_map_file={data}/labels.txt --max_seq_length=32 "
            "--output_arbitrary_targets_for_infeasible_examples=true",
            "run_lasertagger.py --training_file={data}/train.tfrecord "
            "--eval_file={data}/train.tfrecord --label_map_file={data}/labels.txt "
            "--model_config_file={data}/tagger_config.json --do_train=true "
            "--do_eval=true --eval_timeout=1 --num_train_examples=40 "
            f"--num_eval_examples=16 --num_train_epochs=4 {_BERT_ON_TPU}".replace(
                "--num_tpu_cores=2", ""
            ),
        ),
        path=(".", "bert"),
        uses=(("google-research/bert", "bert"),),
        recipe=recipes.rewritten_sentences,
        end=End("data, 20 steps, evaluation", "", ("out/model/model.ckpt-20.index",)),
        needs=("six",),
        on_tensorflow=WITHOUT_TPU,
    ),
    Program(
        "electra-pretraining",
        "google-research/electra",
        "8a46635f32083ada044d7e9ad09604742600ee7b",
        commands=(
            "build_pretraining_dataset.py --corpus-dir={data}/corpus "
            "--vocab-file={data}/vocab.txt --output-dir={data}/pretrain_tfrecords "
            "--max-seq-length=32 --num-processes=1",
            "run_pretraining.py --data-dir={data} --model-name=tiny "
            "--hparams={data}/settings.json",
            "run_pretraining.py --data-dir={data} --model-name=tiny "
            "--hparams={data}/evaluation.json",
        ),
        recipe=recipes.corpus,
        end=End(
            "data, 20 steps, evaluation",
            "disc_accuracy",
            ("data/models/tiny/model.ckpt-20.index",),
        ),
        needs=("six",),
        on_tensorflow=(
            (
                "--hparams={data}/settings.json",
                "--hparams={data}/settings_without_tpu.json",
            ),
        ),
    ),
    _language(
        "extraction-squad",
        "bert_extraction.steal_bert_qa.models.run_squad",
        "--train_file={data}/squad.json --predict_input_file={data}/squad.json "
        "--do_train=true --do_predict=true --num_train_epochs=20 --doc_stride=8 "
        "--predict_output_dir={out}/predictions "
        "--max_query_length=8",
        recipes.questions,
        End("20 steps", files=("out/model/model.ckpt-20.index",)),
    ),
    _language(
        "extraction-classifier",
        "bert_extraction.steal_bert_classifier.models.run_classifier",
        "--task_name=MRPC --data_dir={data} --do_train=true --do_eval=true "
        "--num_train_epochs=10",
        recipes.sentence_pairs,
        End("20 steps, evaluation", files=("out/model/eval_results.txt",)),
    ),
    _language(
        "conpono-squad",
        "conpono.evals.run_squad",
        "--train_file={data}/squad.json --predict_file={data}/squad.json "
        "--do_train=true --do_predict=true --num_train_epochs=20 --doc_stride=8 "
        "--max_query_length=8",
        recipes.questions,
        End("20 steps", files=("out/model/model.ckpt-20.index",)),
    ),
    Program(
        "tpu-sandbox-tpu-test",
        "jarokaz/tpu-sandbox",
        "0d4505b0394c6cb344732b4aa74b9658af23fa08",
        commands=("tpu_test.py --verbosity=0",),
        end=End("the devices", "All devices: .*TPU"),
        release=2,
    ),
    Program(
        "tpu-sandbox-hello-world",
        "jarokaz/tpu-sandbox",
        "0d4505b0394c6cb344732b4aa74b9658af23fa08",
        commands=("vertex/snippets/hello-world.py",),
        end=End("a sum on each core", r"PerDevice|PerReplica"),
        release=2,
    ),
    Program(
        "tpu-sandbox-train-eval",
        "jarokaz/tpu-sandbox",
        "0d4505b0394c6cb344732b4aa74b9658af23fa08",
        commands=("vertex/trainer/task.py",),
        end=End("the devices", r"All devices: +\[.*TPU"),
        release=2,
    ),
    Program(
        "telekine-axy",
        "ut-osa/telekine",
        "3f0222a9d7fbc8fef30623d7eabed719b6be6c4c",
        commands=("nw/guestlib/python/cloud-tpu.py",),
        end=End("a * x + y", r"4\., 4\., 4\.(.|\n)*Done!"),
        cores=8,
    ),
    Program(
        "tutorial-axy",
        "whtngus/whtngus.github.io",
        "0bdb4e30fb5fdac32b2c989339a15a64704e747a",
        commands=("_code_and_file/gcp/src/tutorial.py",),
        edits=(
            Edit(
                "_code_and_file/gcp/src/tutorial.py",
                'tpu_grpc_url = "grpc://{}}:8470".format()',
                "tpu_grpc_url = TPUClusterResolver(tpu=['local']).get_master()",
                "the address is a form to be filled in, and no valid format",
            ),
        ),
        end=End("a * x + y", r"4\., 4\., 4\.(.|\n)*Done!"),
        cores=8,
    ),
    Program(
        "cs362n-tpu-test",
        "lukecord/CS362N-Project",
        "8c0f45a0fda1f7c48e1c7bbf2b68dc868c955a23",
        commands=("tpu_test.py",),
        edits=(
            Edit(
                "tpu_test.py",
                "resolver = tf.distribute.cluster_resolver.TPUClusterResolver"
                "(tpu='node-1')",
                "resolver = tf.distribute.cluster_resolver.TPUClusterResolver"
                "(tpu='local')",
                "the name of its author's TPU",
            ),
        ),
        end=End("the devices", r"All devices: +\[.*TPU"),
        release=2,
    ),
    Program(
        "llm-on-gke-simple-test",
        "llm-on-gke/tpu-training",
        "a5edfb1a1e5dcdb2cf6f63af5754b4a67519a60c",
        commands=("simple-test.py",),
        folder="tensforflow-example/mnist-single-tpu/src/tensorflow-mnist-example",
        edits=(
            Edit(
                "tensforflow-example/mnist-single-tpu/src/tensorflow-mnist-example/"
                "simple-test.py",
                "import tensorflow_datasets as tfds",
                "",
                "it is not used, and imports all of TensorFlow",
            ),
        ),
        end=End("the devices", r"All devices: +\[.*TPU"),
        release=2,
    ),
)
