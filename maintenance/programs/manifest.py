"""The programs, each with how it is run and what its end is."""

import functools

from . import recipes
from .program import Edit, End, Program

COMMITS = {
    "ConnorJL/GPT2": "936fe2a21fad221cb07d0157c00fbb0780c7d114",
    "dmis-lab/biobert": "e283eaab95788fb51b5567018fb52b39d4c1c039",
    "google-research/albert": "b772393d3dae115b493258ce8e37c17b2cc62100",
    "google-research/bert": "eedf5716ce1268e56f0a50264a88cafad334ac61",
    "google-research/electra": "8a46635f32083ada044d7e9ad09604742600ee7b",
    "google-research/language": "865fae65f63ef7e6b2989d4ff8b47f61750415a8",
    "google-research/lasertagger": "0bfa546e755814b28163dad039ab6d9f53f82bb8",
    "GoogleCloudPlatform/cloudml-samples": "efddc4a9898127e55edc0946557aca4bfaf59705",
    "imcaspar/gpt2-ml": "f6286b16cbbee6dddbe1ba557fffb47eaf998cd1",
    "jarokaz/tpu-sandbox": "0d4505b0394c6cb344732b4aa74b9658af23fa08",
    "llm-on-gke/tpu-training": "a5edfb1a1e5dcdb2cf6f63af5754b4a67519a60c",
    "lukecord/CS362N-Project": "8c0f45a0fda1f7c48e1c7bbf2b68dc868c955a23",
    "tensorflow/docs": "7c3650212740204359d4ceae481abc79345541be",
    "tensorflow/tpu": "7dc921f846c9e4071f3884b768a7ddf521272a49",
    "ut-osa/telekine": "3f0222a9d7fbc8fef30623d7eabed719b6be6c4c",
    "whtngus/whtngus.github.io": "0bdb4e30fb5fdac32b2c989339a15a64704e747a",
}
"""Each repository, and the commit of it that was run."""

_BERT_CONFIG = "--bert_config_file={data}/bert_config.json"
_BERT_FILES = f"--vocab_file={{data}}/vocab.txt {_BERT_CONFIG}"
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
        "GoogleCloudPlatform/cloudml-samples",
        commands=(
            f"{script} --model-dir={{out}}/model --save-checkpoints-steps=10 "
            f"--tpu=local {arguments}",
        ),
        folder=f"tpu/templates/{name}",
        end=End("20 steps", files=(f"out/model/**/model.ckpt-{step}.index",)),
        cores=8,
        followed=(("steps=10", "steps=1"),) if "estimator" in name else (),
        followed_edits=(
            Edit(
                f"tpu/templates/{name}/{script}",
                "num_shards=8, # using Cloud TPU v2-8",
                "num_shards=1,",
                "TensorFlow takes the mean or the sum of the whole batch",
            ),
        ),
        on_tensorflow=(("--use-tpu", ""),),
    )


def _model(meaning, *files, text="", steps=20):
    """Return an end: the last checkpoint, and other files of the model's folder."""
    names = (f"model.ckpt-{steps}.index", *files)
    return End(meaning, text, tuple(f"out/model/{name}" for name in names))


_program_of_bert = functools.partial(
    Program, needs=("six",), followed=_ONE_STEP, on_tensorflow=WITHOUT_TPU
)


def _fine_tuning(name, repository, command, recipe, *files):
    """Return a fine-tuning of BERT."""
    meaning = "20 steps, evaluation, predictions"
    return _program_of_bert(
        name,
        repository,
        commands=(
            f"{command} --do_train=true --do_predict=true {_BERT_FILES} {_BERT_ON_TPU}",
        ),
        recipe=recipe,
        end=_model(
            meaning if "do_eval" in command else "20 steps, predictions", *files
        ),
    )


def _language(name, module, arguments, recipe, end):
    """Return a program of the package language, which imports BERT as a package."""
    return _program_of_bert(
        f"language-{name}",
        "google-research/language",
        commands=(f"-m language.{module} {arguments} {_BERT_FILES} {_BERT_ON_TPU}",),
        recipe=recipe,
        end=end,
        path=(".",),
        uses=(("google-research/bert", "bert"),),
    )


def _sandbox(name, command, meaning, text):
    return Program(
        f"tpu-sandbox-{name}",
        "jarokaz/tpu-sandbox",
        commands=(command,),
        end=End(meaning, text),
        release=2,
    )


def _notebook(name, repository, folder, notebook, recipe, end, *edits, data=""):
    """Return a notebook for TensorFlow 2; `edits` are (line, new line, reason)."""
    return Program(
        name,
        repository,
        commands=(notebook,),
        folder=folder,
        recipe=recipe,
        data=data,
        end=end,
        release=2,
        needs=("keras",),
        edits=tuple(Edit(f"{folder}/{notebook}", *edit) for edit in edits),
        followed=((notebook, notebook),),
    )


_RESET = ("reset_states()", "reset_state()", "Keras 3 has no other name for it")
_FEWER = "fewer steps"


_DEVICES = r"All devices: +\[.*TPU"
_MRPC = "--task_name=MRPC --data_dir={data}"
_SQUAD = (
    "--train_file={data}/squad.json --predict_file={data}/squad.json "
    "--num_train_epochs=20 --doc_stride=8 --max_query_length=8"
)
_STEPS = "--use-tpu --max-steps=20 --train-batch-size=16"

PROGRAMS = (
    _program_of_bert(
        "bert-run-pretraining",
        "google-research/bert",
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
        end=_model(
            "data, 20 steps, evaluation",
            "eval_results.txt",
            text="masked_lm_accuracy = ",
        ),
    ),
    _fine_tuning(
        "bert-run-classifier",
        "google-research/bert",
        f"run_classifier.py {_MRPC} --do_eval=true --num_train_epochs=10",
        recipes.sentence_pairs,
        "eval_results.txt",
        "test_results.tsv",
    ),
    _fine_tuning(
        "bert-run-squad",
        "google-research/bert",
        f"run_squad.py {_SQUAD}",
        recipes.questions,
        "predictions.json",
    ),
    _program_of_bert(
        "bert-extract-features",
        "google-research/bert",
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
        followed=(),
        edits=(
            Edit(
                "extract_features.py",
                "predict_batch_size=FLAGS.batch_size)",
                "predict_batch_size=FLAGS.batch_size, train_batch_size=8)",
                "TensorFlow 1.15 refuses use_tpu=True without a train_batch_size, too",
            ),
        ),
    ),
    Program(
        "tpu-mnist",
        "tensorflow/tpu",
        commands=(
            "mnist_tpu.py --data_dir={data} --model_dir={out}/model --batch_size=16 "
            "--train_steps=20 --eval_steps=2 --iterations=5 --num_shards=2 --tpu=local",
        ),
        folder="models/official/mnist",
        recipe=recipes.digits,
        end=_model("20 steps, evaluation, predictions", text='Prediction is "'),
        followed=(
            ("--iterations=5", "--iterations=1 --use_tpu"),
            ("shards=2", "shards=1"),
        ),
        on_tensorflow=(("--use_tpu", ""), ("--tpu=local", "--nouse_tpu")),
    ),
    Program(
        "tpu-resnet",
        "tensorflow/tpu",
        commands=(
            "resnet_main.py --data_dir= --model_dir={out}/model --resnet_depth=18 "
            "--image_size=32 --train_batch_size=8 --eval_batch_size=8 --train_steps=4 "
            "--steps_per_eval=4 --num_eval_images=8 --num_train_images=32 "
            "--iterations_per_loop=2 --num_cores=2 --num_label_classes=10 --tpu=local "
            "--precision=float32 --transpose_input=false",
        ),
        folder="models/official/resnet",
        path=("models",),
        end=_model("4 steps, evaluation", steps=4),
        on_tensorflow=(("--tpu=local", "--use_tpu=false"),),
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
        commands=("main.py --model=tiny.json --tpu=local",),
        recipe=recipes.web_texts,
        data=".",
        end=End("20 steps, evaluation", "Done!", ("**/model/model.ckpt-20.index",)),
        needs=("regex",),
        followed=(("tiny", "one_step"),),
        on_tensorflow=(("--tpu=local", ""),),
    ),
    Program(
        "gpt2-ml-train",
        "imcaspar/gpt2-ml",
        commands=(
            "train/train_tpu.py --config_file={data}/config.json "
            "--input_file={data}/tokens.tfrecord --output_dir={out}/model "
            "--max_seq_length=32 --train_batch_size=4 --num_train_steps=20 "
            "--num_warmup_steps=5 --iterations_per_loop=5 --use_tpu=true "
            "--tpu_name=local --num_tpu_cores=2",
        ),
        recipe=recipes.tokens,
        path=(".",),
        edits=tuple(
            Edit(
                f"train/{module}.py",
                "import tensorflow.compat.v1 as tf",
                "import tensorflow as tf",
                "TensorFlow 1.15 has no tf.compat.v1.contrib either",
            )
            for module in ("train_tpu", "utils", "modeling")
        ),
        end=_model("20 steps"),
        followed=(("loop=5", "loop=1"), ("cores=2", "cores=1")),
        on_tensorflow=WITHOUT_TPU,
    ),
    _fine_tuning(
        "biobert-run-classifier",
        "dmis-lab/biobert",
        f"run_classifier.py {_MRPC} --do_eval=true --num_train_epochs=10",
        recipes.sentence_pairs,
        "test_results.tsv",
    ),
    _fine_tuning(
        "biobert-run-re",
        "dmis-lab/biobert",
        "run_re.py --task_name=gad --data_dir={data} --do_eval=true "
        "--num_train_epochs=10",
        recipes.labelled_sentences,
        "test_results.tsv",
    ),
    _fine_tuning(
        "biobert-run-qa",
        "dmis-lab/biobert",
        f"run_qa.py {_SQUAD}",
        recipes.questions,
        "predictions.json",
    ),
    _program_of_bert(
        "albert-pretraining",
        "google-research/albert",
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
        edits=(
            Edit(
                "albert/run_pretraining.py",
                'for ext in ["meta", "data-00000-of-00001", "index"]:',
                "for ext in [name[len(checkpoint_path) + 1:] for name in "
                'tf.gfile.Glob(checkpoint_path + ".*")]:',
                "a checkpoint of tpuref is other files",
            ),
        ),
        end=_model("20 steps, evaluation", text="masked_lm_accuracy"),
    ),
    _program_of_bert(
        "lasertagger",
        "google-research/lasertagger",
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
        followed=(),  # TensorFlow refuses its evaluation's SLICED without a TPU
        end=_model("data, 20 steps, evaluation"),
    ),
    Program(
        "electra-pretraining",
        "google-research/electra",
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
        on_tensorflow=tuple(
            (
                f"--hparams={{data}}/{name}.json",
                f"--hparams={{data}}/{name}_without_tpu.json",
            )
            for name in ("settings", "evaluation")
        ),
    ),
    _language(
        "extraction-squad",
        "bert_extraction.steal_bert_qa.models.run_squad",
        f"{_SQUAD.replace('predict_file', 'predict_input_file')} --do_train=true "
        "--do_predict=true --predict_output_dir={out}/predictions",
        recipes.questions,
        _model("20 steps"),
    ),
    _language(
        "extraction-classifier",
        "bert_extraction.steal_bert_classifier.models.run_classifier",
        f"{_MRPC} --do_train=true --do_eval=true --num_train_epochs=10",
        recipes.sentence_pairs,
        End("20 steps, evaluation", files=("out/model/eval_results.txt",)),
    ),
    _language(
        "conpono-squad",
        "conpono.evals.run_squad",
        f"{_SQUAD} --do_train=true --do_predict=true",
        recipes.questions,
        _model("20 steps"),
    ),
    _sandbox(
        "tpu-test", "tpu_test.py --verbosity=0", "the devices", "All devices: .*TPU"
    ),
    _sandbox(
        "hello-world",
        "vertex/snippets/hello-world.py",
        "a sum on each core",
        r"PerDevice|PerReplica",
    ),
    _sandbox("train-eval", "vertex/trainer/task.py", "the devices", _DEVICES),
    Program(
        "telekine-axy",
        "ut-osa/telekine",
        commands=("nw/guestlib/python/cloud-tpu.py",),
        end=End("a * x + y", r"4\., 4\., 4\.(.|\n)*Done!"),
        cores=8,
    ),
    Program(
        "tutorial-axy",
        "whtngus/whtngus.github.io",
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
        end=End("the devices", _DEVICES),
        release=2,
    ),
    Program(
        "llm-on-gke-simple-test",
        "llm-on-gke/tpu-training",
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
        end=End("the devices", _DEVICES),
        release=2,
    ),
    _notebook(
        "docs-custom-training",
        "tensorflow/docs",
        "site/en/tutorials/distribute",
        "custom_training.ipynb",
        recipes.fashion,
        End(
            "epochs, checkpoint, evaluation", "without strategy(.|\\n)*Epoch 2, Loss: "
        ),
        _RESET,
        ("EPOCHS = 10", "EPOCHS = 2", _FEWER),
        (
            "distributed_train_epoch(train_dist_dataset)",
            "distributed_train_epoch.python_function(train_dist_dataset)",
            "tpuref traces a loop once, whose body may not change Python variables",
        ),
    ),
    _notebook(
        "tpu-sandbox-tpu-notebook",
        "jarokaz/tpu-sandbox",
        "notebooks",
        "tpu.ipynb",
        recipes.digits_of_tfds,
        End("fit, 20 steps and a loop of steps", "Current step: 21,"),
        _RESET,
        ("tpu='jk-tpu-v2-32', zone='us-central1-a'", "tpu='local'", "its author's TPU"),
        ("batch_size = 16 * 1024", "batch_size = 8", _FEWER),
        ("steps_per_epoch = 60000 // batch_size", "steps_per_epoch = 1", _FEWER),
        ("validation_steps = 10000 // batch_size", "validation_steps = 1", _FEWER),
        ("epochs=5,", "epochs=1,", _FEWER),
        ("range(50)", "range(20)", _FEWER),
        data="notebooks",
    ),
)
