import { entriesOf, fieldsOf, isObject, jsonOf } from '../../base/json.ts'
import { Refusal } from '../../base/errors.ts'

type Labelled = (row: { readonly labels: Readonly<Record<string, string>> }) => boolean
type Described = (row: { readonly meta?: unknown }) => boolean

const refused = (parameter: string, rule: string): Refusal =>
  new Refusal('QUERY_INVALID', `${parameter} ${rule}.`, { errors: [{ parameter, detail: rule }] })

interface Wanted {
  readonly label: string
  readonly value: string | undefined
}

/** The labels of a selector such as `a=b,c`; `undefined` for anything else. */
export function labelsIn(selector: string): readonly Wanted[] | undefined {
  const wanted = selector.split(',').map((term) => {
    const [label = '', ...value] = term.split('=')
    return { label: label.trim(), value: value.length === 0 ? undefined : value.join('=').trim() }
  })
  return wanted.some(({ label }) => label === '') ? undefined : wanted
}

export const SELECTOR_RULE = 'must be a selector such as a=b,c'

/**
 * Parses `a=b,c`: labels that must all be present, with the value if one is given.
 * @param parameter name of the query parameter, for the refusal
 * @throws Refusal QUERY_INVALID
 */
export function labelsTest(selector: string, parameter: string): Labelled {
  const wanted = labelsIn(selector)
  if (wanted === undefined) throw refused(parameter, SELECTOR_RULE)
  return ({ labels }) =>
    wanted.every(({ label, value }) => Object.hasOwn(labels, label) && (value === undefined || labels[label] === value))
}

/**
 * Parses a JSON object whose members must all be in the record's `meta`.
 * @param parameter name of the query parameter, for the refusal
 * @throws Refusal QUERY_INVALID, also from the test when arrays take too many comparisons
 */
export function metaTest(text: string, parameter: string): Described {
  const wanted = objectFrom(text)
  if (wanted === undefined) throw refused(parameter, 'must be a JSON object')
  return containsTest(wanted, refused(parameter, TOO_COSTLY))
}

export const TOO_COSTLY = 'takes too many comparisons in arrays'

/**
 * Matches records whose `meta` has every member of an object. @param tooCostly is thrown when arrays need too many
 * comparisons
 */
export function containsTest(wanted: object, tooCostly: Refusal): Described {
  const budget: Budget = { steps: COMPARISONS_MOST, refusal: tooCostly }
  return ({ meta }) => contains(meta ?? {}, wanted, budget)
}

/**
 * Ours: maximum number of comparisons per query. Arrays multiply: each requested member is searched for in the whole
 * array of each record.
 */
const COMPARISONS_MOST = 5_000_000

interface Budget {
  steps: number
  readonly refusal: Refusal
}

function objectFrom(text: string): object | undefined {
  const value = jsonOf(text)
  return isObject(value) ? value : undefined
}

/** @throws Refusal QUERY_INVALID when the query's comparisons are used up */
const contains = (whole: unknown, part: unknown, budget: Budget): boolean => {
  if (--budget.steps < 0) throw budget.refusal
  if (typeof part !== 'object' || part === null) return whole === part
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole) !== Array.isArray(part)) return false
  if (Array.isArray(part)) return part.every((member) => entriesOf(whole).some((one) => contains(one, member, budget)))
  return Object.entries(part).every(
    ([name, value]) => Object.hasOwn(whole, name) && contains(fieldsOf(whole)[name], value, budget),
  )
}
