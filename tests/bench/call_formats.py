"""How models write function calls, for each chat template in llama.cpp's models/templates.
call_templates.py makes a model write these texts.
"""

import dataclasses
import json

WORDS = "One moment."
THOUGHT = "The user wants this."
ONE_CALL = [("get_time", {"zone": "UTC"})]
TWO_CALLS = [*ONE_CALL, ("book_table", {"name": "Ann", "persons": 2})]


@dataclasses.dataclass(frozen=True)
class Format:
    """The parts of a reply with calls. `{name}` and similar fields are replaced."""

    call: str
    # One of the arguments. Empty: the arguments are JSON.
    argument: str = ""
    between_arguments: str = ""
    opening: str = ""
    between_calls: str = ""
    closing: str = ""
    # The words before calls. None: the model does not write any.
    words: str | None = "{words}"
    # A reply without calls.
    answer: str = "{words}"
    # What the model thinks first, and what ends a thought that the prompt begins.
    thought: str = ""
    end_of_thought: str = "\n</think>\n\n"
    # The end of a prompt that begins the thought.
    open_thought: str = "<think>"
    # tandem does not recognize these thoughts, and speaks them.
    is_thought_spoken: bool = False

    def write(self, calls, with_words, thinks, is_thought_open):
        text = self.thought if thinks else ""
        if is_thought_open:
            text = THOUGHT + self.end_of_thought
        if with_words:
            text += self.words if calls else self.answer
        if calls:
            text += self.opening + self.between_calls.join(self._call(*call) for call in enumerate(calls))
            text += self.closing
        return fill(text, words=WORDS, thought=THOUGHT)

    def _call(self, index, call):
        name, values = call
        arguments = json.dumps(values)
        if self.argument:
            arguments = self.between_arguments.join(self._argument(*item) for item in values.items())
        return fill(self.call, name=name, arguments=arguments, index=str(index), number=str(index + 1))

    def _argument(self, key, value):
        is_text = isinstance(value, str)
        return fill(
            self.argument,
            key=key,
            value=str(value),
            literal=json.dumps(value),
            gemma=f'<|"|>{value}<|"|>' if is_text else str(value),
            type="string" if is_text else "number",
            is_text=json.dumps(is_text),
        )


def fill(text, **values):
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


NAME_AND_ARGUMENTS = '{"name": "{name}", "arguments": {arguments}}'
HERMES = Format(f"<tool_call>\n{NAME_AND_ARGUMENTS}\n</tool_call>", words="{words}\n", between_calls="\n")
CODER = Format(
    "<tool_call>\n<function={name}>\n{arguments}</function>\n</tool_call>",
    "<parameter={key}>\n{value}\n</parameter>\n",
    words="{words}\n\n",
    between_calls="\n",
)
APRIEL = Format(
    NAME_AND_ARGUMENTS,
    words="{words}\n",
    opening="<tool_calls>[",
    between_calls=", ",
    closing="]</tool_calls>",
    end_of_thought="\n[BEGIN FINAL RESPONSE]\n",
    open_thought="reasoning steps:",
    is_thought_spoken=True,
)
COHERE = Format(
    '    {"tool_call_id": "{index}", "tool_name": "{name}", "parameters": {arguments}}',
    opening="<|START_ACTION|>[\n",
    between_calls=",\n",
    closing="\n]<|END_ACTION|>",
    words=None,
    thought="<|START_THINKING|>{thought}<|END_THINKING|>",
    end_of_thought="<|END_THINKING|>",
    open_thought="<|START_THINKING|>",
)
GLM = Format(
    "<tool_call>{name}\n{arguments}</tool_call>",
    "<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n",
    words="{words}\n",
    between_calls="\n",
    thought="\n<think>{thought}</think>\n",
    end_of_thought="</think>\n",
)
GLM_47 = Format(
    "<tool_call>{name}{arguments}</tool_call>",
    "<arg_key>{key}</arg_key><arg_value>{value}</arg_value>",
    end_of_thought="</think>",
)
LING = Format(
    "<tool_call>{name}\n{arguments}\n</tool_call>",
    "<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>",
    words="{words}\n",
    between_calls="\n",
    end_of_thought="</think>",
)
KIMI = Format(
    "<|tool_call_begin|>functions.{name}:{index}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>",
    opening="<|tool_calls_section_begin|>",
    closing="<|tool_calls_section_end|>",
)
KIMI_K3 = Format(
    '<|open|>call tool="{name}" index="{number}"<|sep|>{arguments}<|close|>call<|sep|>',
    '<|open|>argument key="{key}" type="{type}"<|sep|>{value}<|close|>argument<|sep|>',
    words="<|open|>response<|sep|>{words}<|close|>response<|sep|>",
    answer="<|open|>response<|sep|>{words}<|close|>response<|sep|><|close|>message<|sep|>",
    opening="<|open|>tools<|sep|>",
    closing="<|close|>tools<|sep|><|close|>message<|sep|>",
    end_of_thought="<|close|>think<|sep|>",
    open_thought="<|open|>think<|sep|>",
)
LFM = Format(
    "{name}({arguments})",
    "{key}={literal}",
    between_arguments=", ",
    opening="<|tool_call_start|>[",
    between_calls=", ",
    closing="]<|tool_call_end|>",
)
LLAMA = Format('{"name": "{name}", "parameters": {arguments}}', words=None)
DEEPSEEK_R1 = Format(
    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{arguments}\n```<｜tool▁call▁end｜>",
    opening="<｜tool▁calls▁begin｜>",
    between_calls="\n",
    closing="<｜tool▁calls▁end｜>",
)
DEEPSEEK_V31 = Format(
    "<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>",
    opening="<｜tool▁calls▁begin｜>",
    closing="<｜tool▁calls▁end｜>",
    end_of_thought="</think>",
)
DEEPSEEK_V32 = Format(
    '<｜DSML｜invoke name="{name}">\n{arguments}</｜DSML｜invoke>\n',
    '<｜DSML｜parameter name="{key}" string="{is_text}">{value}</｜DSML｜parameter>\n',
    opening="\n\n<｜DSML｜function_calls>\n",
    closing="</｜DSML｜function_calls>",
    end_of_thought="</think>",
)
DEEPSEEK_V4 = dataclasses.replace(DEEPSEEK_V32, opening="\n\n<｜DSML｜tool_calls>\n", closing="</｜DSML｜tool_calls>")
GEMMA_4 = Format("<|tool_call>call:{name}{{arguments}}<tool_call|>", "{key}:{gemma}", between_arguments=",")
# Words before a call go to the channel of the calls, which is not spoken.
GPT_OSS = Format(
    "<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{arguments}",
    thought="<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant",
    words=None,
    answer="<|channel|>final<|message|>{words}",
)
GRANITE_33 = Format(NAME_AND_ARGUMENTS, opening="<|tool_call|>[", between_calls=", ", closing="]", words=None)
HY3 = Format(
    "<tool_call:opensource>{name}<tool_sep:opensource>\n{arguments}</tool_call:opensource>\n",
    "<arg_key:opensource>{key}</arg_key:opensource>\n<arg_value:opensource>{value}</arg_value:opensource>\n",
    opening="<tool_calls:opensource>\n",
    closing="</tool_calls:opensource>",
)
LAGUNA_XS = dataclasses.replace(GLM, thought="", end_of_thought="\n</think>\n")
MINICPM = Format(
    '<function name="{name}">{arguments}</function>',
    '<param name="{key}">{value}</param>',
    words="{words}\n",
    between_calls="\n",
)
MINIMAX_M1 = Format(NAME_AND_ARGUMENTS + "\n", opening="<tool_calls>\n", closing="</tool_calls>", words="{words}\n")
MINIMAX_M2 = Format(
    '<invoke name="{name}">\n{arguments}</invoke>\n',
    '<parameter name="{key}">{value}</parameter>\n',
    words="{words}\n",
    opening="<minimax:tool_call>\n",
    closing="</minimax:tool_call>",
)
MINIMAX_M3 = Format(
    ']<]minimax[>[<invoke name="{name}">{arguments}]<]minimax[>[</invoke>\n',
    "]<]minimax[>[<{key}>{value}]<]minimax[>[</{key}>",
    opening="]<]minimax[>[<tool_call>\n",
    closing="]<]minimax[>[</tool_call>",
    thought="<mm:think>{thought}</mm:think>",
)
MISTRAL = Format("[TOOL_CALLS]{name}[ARGS]{arguments}")
MISTRAL_NEMO = Format(
    '{"name": "{name}", "arguments": {arguments}, "id": "12345678{index}"}',
    opening="[TOOL_CALLS][",
    between_calls=", ",
    closing="]",
    words=None,
)
MISTRAL_32 = Format("[TOOL_CALLS]{name}[CALL_ID]12345678{index}[ARGS]{arguments}", words=None)
MUSE = Format(
    ' to={name}<|message|><atem:function_calls>\n<atem:invoke name="{name}">\n{arguments}</atem:invoke>\n'
    "</atem:function_calls>",
    '<atem:parameter name="{key}">{value}</atem:parameter>\n',
    words=" to=user<|message|>{words}<|eom|><|start|>assistant",
    answer=" to=user<|message|>{words}",
    thought=" to=self<|message|>{thought}<|eom|><|start|>assistant",
    between_calls="<|eom|><|start|>assistant",
)
# llama-server ends a reply at the <|end|> of thoughts and words.
SOLAR = Format(
    "<|tool_call:begin|>abcdef1234{index}<|tool_call:name|>{name}<|tool_call:args|>{arguments}<|tool_call:end|>",
    words=None,
    opening="<|tool_calls|>",
)

MARKED = Format(
    NAME_AND_ARGUMENTS,
    opening="<|part|>calls<|sep|>",
    between_calls="\n",
    closing="<|end|>calls<|sep|>",
    words="<|part|>words<|sep|>{words}<|end|>words<|sep|>",
    answer="<|part|>words<|sep|>{words}<|end|>words<|sep|><|end|>message<|sep|>",
)

# By the beginning of the template's name. The longest match applies.
FORMATS = {
    "Apertus": Format(
        '{"{name}": {arguments}}', opening="<|tools_prefix|>[", between_calls=", ", closing="]<|tools_suffix|>"
    ),
    "Apriel": APRIEL,
    "unsloth-Apriel": APRIEL,
    "Bielik": HERMES,
    "ByteDance-Seed": dataclasses.replace(
        CODER,
        call="<seed:tool_call>\n<function={name}>\n{arguments}</function>\n</seed:tool_call>",
        argument="<parameter={key}>{value}</parameter>\n",
    ),
    "Cohere2MoE": COHERE,
    "CohereForAI-c4ai-command-r7b": COHERE,
    "CohereForAI-c4ai-command-r-plus": Format(
        '    {\n        "tool_name": "{name}",\n        "parameters": {arguments}\n    }',
        opening="Action:\n```json\n[\n",
        between_calls=",\n",
        closing="\n]\n```",
        words=None,
    ),
    "GLM-4.6": GLM,
    "GLM-4.7": GLM_47,
    "GigaChat3-": Format("<|message_sep|>\n\nfunction call<|role_sep|>\n" + NAME_AND_ARGUMENTS),
    "GigaChat3.1": Format("<|function_call|>" + NAME_AND_ARGUMENTS),
    "Kimi-K2": KIMI,
    "moonshotai-Kimi-K2": KIMI,
    "Kimi-K3": KIMI_K3,
    "LFM2": LFM,
    "MiMo": HERMES,
    "MiniMax-M1": MINIMAX_M1,
    "MiniMax-M2": MINIMAX_M2,
    "MiniMax-M3": MINIMAX_M3,
    "Mistral-Small-3.2": MISTRAL_32,
    "mistralai-Ministral-3": MISTRAL,
    "unsloth-mistral-Devstral": MISTRAL,
    "mistralai-Mistral-Nemo": MISTRAL_NEMO,
    "NVIDIA-Nemotron-3": dataclasses.replace(CODER, words="{words}\n"),
    "NVIDIA-Nemotron-Nano-v2": Format(
        NAME_AND_ARGUMENTS, opening="<TOOLCALL>[", between_calls=", ", closing="]</TOOLCALL>", words="{words}\n"
    ),
    "NousResearch": HERMES,
    "Qwen": HERMES,
    "Qwen3-Coder": CODER,
    "Qwen3.5": CODER,
    "Reka": dataclasses.replace(HERMES, between_calls=""),
    "Spark": GLM_47,
    "StepFun": dataclasses.replace(CODER, words="{words}", between_calls="", end_of_thought="\n</think>\n"),
    "deepseek-ai-DeepSeek-R1": DEEPSEEK_R1,
    "llama-cpp-deepseek-r1": DEEPSEEK_R1,
    "deepseek-ai-DeepSeek-V3.1": DEEPSEEK_V31,
    "deepseek-ai-DeepSeek-V3.2": DEEPSEEK_V32,
    "deepseek-ai-DeepSeek-V4": DEEPSEEK_V4,
    "fireworks-ai-llama-3-firefunction": Format(
        NAME_AND_ARGUMENTS, opening=" functools[", between_calls=", ", closing="]"
    ),
    "google-gemma-4": GEMMA_4,
    "ibm-granite-granite-3": GRANITE_33,
    "ibm-granite-granite-4": HERMES,
    "inclusionai-ling": LING,
    "meetkai-functionary-medium-v3.1": Format("<function={name}>{arguments}</function>"),
    "meetkai-functionary-medium-v3.2": Format(
        "{name}\n{arguments}", between_calls=">>>", words="all\n{words}>>>", answer="all\n{words}"
    ),
    "meta-llama": LLAMA,
    "muse": MUSE,
    "openai-gpt-oss": GPT_OSS,
    "openbmb-MiniCPM5": MINICPM,
    "poolside-Laguna-S": GLM_47,
    "poolside-Laguna-XS": LAGUNA_XS,
    "tencent-Hy3": HY3,
    "upstage-Solar": SOLAR,
    # The templates of the project's tests.
    "tool_template": HERMES,
    "marked_template": MARKED,
}


def format_of(template):
    """The format of a template's models; None if the format is not known."""
    names = [name for name in FORMATS if template.startswith(name)]
    return FORMATS[max(names, key=len)] if names else None
