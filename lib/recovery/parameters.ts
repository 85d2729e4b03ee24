/**
 * The parameters of the four tools as JSON schemas: one definition that Pi shows to the model and checks calls against,
 * and that our own check reads. Plain objects: both hosts take any JSON schema.
 */
import { isJsonObject, type JsonObject } from "../json-object.ts";
import { shownValue } from "../shown-value.ts";

interface Described {
  readonly description?: string;
}

/** One parameter, in the part of JSON Schema that the tools need. */
export type ParameterSchema = Described &
  (
    | { readonly type: "boolean" }
    | { readonly type: "integer"; readonly minimum: number; readonly maximum?: number }
    | { readonly type: "string"; readonly maxLength?: number; readonly enum?: readonly string[] }
    | {
        readonly type: "array";
        readonly items: { readonly type: "string" };
        readonly minItems?: number;
        readonly maxItems: number;
      }
  );

/** All parameters of a tool. Strict: no others. */
export interface ParametersSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, ParameterSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/** The first thing that is wrong with an input, as a sentence; undefined when nothing is. */
export function inputFault(schema: ParametersSchema, input: unknown): string | undefined {
  if (!isJsonObject(input)) return `The input must be an object, but is ${shownValue(input)}.`;
  const { properties, required } = schema;
  for (const name of Object.keys(input)) {
    if (Object.hasOwn(properties, name)) continue;
    return `There is no parameter ${shownValue(name)}. Known: ${Object.keys(properties).join(", ")}.`;
  }
  for (const [name, parameter] of Object.entries(properties)) {
    const value = input[name];
    if (value === undefined && !required.includes(name)) continue;
    const rule = brokenRule(parameter, value);
    if (rule)
      return `${name} must be ${rule}, but is ${value === undefined ? "missing" : shownValue(value)}.`;
  }
  return undefined;
}

/** The input without the `null`s that models send for parameters they leave out. */
export function withoutNulls(input: unknown): unknown {
  if (!isJsonObject(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)) satisfies JsonObject;
}

function brokenRule(parameter: ParameterSchema, value: unknown): string | undefined {
  switch (parameter.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "true or false";
    case "integer": {
      const { minimum, maximum = Number.MAX_SAFE_INTEGER } = parameter;
      const isInRange = Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
      return isInRange ? undefined : `a whole number from ${minimum} to ${maximum}`;
    }
    case "string": {
      const { maxLength = Number.POSITIVE_INFINITY, enum: choices } = parameter;
      if (choices) return choices.some((choice) => choice === value) ? undefined : oneOf(choices);
      const isFit = typeof value === "string" && value.length <= maxLength;
      return isFit
        ? undefined
        : `a text${Number.isFinite(maxLength) ? ` of at most ${maxLength} characters` : ""}`;
    }
    case "array": {
      const { minItems = 0, maxItems } = parameter;
      const isFit =
        Array.isArray(value) &&
        value.length >= minItems &&
        value.length <= maxItems &&
        value.every((element) => typeof element === "string");
      return isFit ? undefined : `a list of ${minItems} to ${maxItems} texts`;
    }
  }
}

function oneOf(choices: readonly string[]): string {
  return `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
}
