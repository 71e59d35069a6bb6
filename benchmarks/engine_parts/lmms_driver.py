"""Runs in lmms-eval's own environment: asks its qwen2_5_vl model N questions about each film, prints CPU seconds.

Only what lmms-eval does after start-up is measured: from its requests to the answers, one thread, as its own
`generate_until` goes about it. Reads a JSON job from standard input, prints a JSON line.
"""

import json
import sys
import time


def main() -> None:
    job = json.load(sys.stdin)
    import torch

    torch.set_num_threads(1)
    from lmms_eval.api.instance import Instance
    from lmms_eval.models import get_model

    pixels = {"min_pixels": job["min_pixels"], "max_pixels": job["max_pixels"]}
    model = get_model("qwen2_5_vl")(
        pretrained=job["checkpoint"], device="cpu", device_map="cpu", max_num_frames=job["frames"], **pixels
    )
    docs = [{"film": film, "question": question} for film in job["films"] for question in job["questions"]]
    model.task_dict = {"films": {"test": docs}}
    settings = {"max_new_tokens": job["max_tokens"], "temperature": 0, "do_sample": False}

    def messages(doc: dict) -> list:
        content = [{"type": "video", "url": doc["film"]}, {"type": "text", "text": doc["question"]}]
        return [{"role": "user", "content": content}]

    def requests(chosen: list) -> list:
        return [
            Instance(
                request_type="generate_until",
                doc=docs[place],
                arguments=(docs[place]["question"], messages, dict(settings), place, "films", "test"),
                idx=0,
                metadata={"task": "films", "doc_id": place, "repeats": 1},
            )
            for place in chosen
        ]

    told: list[int] = []
    generate = model.model.generate

    def noting(**inputs: object) -> object:
        told.append(int(inputs["input_ids"].shape[1]))
        return generate(**inputs)

    model._model.generate = noting
    model.generate_until(requests([0]))
    start_s = time.process_time()
    found = []
    for _ in range(job["repeats"]):
        started = time.process_time()
        answers = model.generate_until(requests(list(range(len(docs)))))
        found.append((time.process_time() - started) / len(docs))
        assert len(answers) == len(docs)
    print(json.dumps({"start_s": start_s, "seconds": found, "prompt_tokens": told[-1]}))


if __name__ == "__main__":
    main()
