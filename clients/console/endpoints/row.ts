import type { JSX } from 'preact'
import type { Call } from '../calls.ts'
import type { Action, AddWay } from '../forms/actions.tsx'
import type { FieldRow } from '../forms/fields.ts'
import type { FilterRow } from '../list/filters.tsx'
import type { PageOf } from '../list/pages.ts'
import type { Query } from '../service.ts'
import type { AttributeRow } from '../words/attributes.tsx'
import type { ResourceRow } from '../resources/row.ts'
import type { Tone } from '../words/states.tsx'

/** An endpoint in lists and titles. */
export interface EndpointSummary {
  readonly id: string
  readonly uri: string
  readonly name: string
  readonly state: string
  readonly tone: Tone
  /** address for callers */
  readonly address: string
  readonly key: string
  readonly createdAt: string
  /** in transition to another state */
  readonly isMoving?: boolean
}

/** A policy with its text. */
export interface PolicyText {
  readonly rego: string
  /** derived from basic rules, which are changed in another way */
  readonly isDerived: boolean
}

export interface ReplayProps<E> {
  readonly endpoint: E
  /** the text in the editor, if it differs from the policy */
  readonly rego: string | undefined
  /** shows the errors of the text at their lines */
  readonly placing: <T>(sent: Promise<T>) => Promise<T>
}

/** The policy of an endpoint, in Rego. */
export interface PolicyRow<E> {
  readonly title: string
  readonly about: string
  load(endpoint: E, signal: AbortSignal): Promise<PolicyText>
  save(endpoint: E, rego: string, now: PolicyText): Call
  /** tries a text without storing it, or else the present policy; the answer is a `Decision` */
  test(endpoint: E, rego: string | undefined, input: unknown): Call
  /** applies the text to past calls */
  readonly replay?: { load(): Promise<{ Replay(props: ReplayProps<E>): JSX.Element }> }
  /** members of the input, with names below `input/` */
  readonly input: readonly FieldRow[]
  readonly example: unknown
}

export interface Decision {
  readonly allowed: boolean
  readonly decided_by: { readonly rule: string; readonly line?: number }
  readonly error?: { readonly code: string }
}

/**
 * Everything that the console knows about the endpoints of a protocol by which others use keys that stay here. For the
 * methods, see `PlaceRow`.
 */
export interface ProtocolRow<E = unknown> {
  /** in addresses of the console */
  readonly name: string
  readonly title: string
  /** an endpoint, in the singular */
  readonly noun: string
  /** its callers, in a sentence */
  readonly about: string
  /** service and kind in the URIs of endpoints */
  readonly uri: string
  readonly list: (query: Query, signal: AbortSignal) => Promise<PageOf<E>>
  readonly get: (id: string, signal: AbortSignal) => Promise<E>
  summary(endpoint: E): EndpointSummary
  attributes(endpoint: E): readonly AttributeRow[]
  readonly filters: readonly FilterRow[]
  /** after an action named `delete`, the list is shown */
  readonly actions: readonly Action<E>[]
  readonly add: AddWay
  /** secrets in an answer, which are shown once */
  readonly secrets?: (answer: unknown) => readonly AttributeRow[]
  readonly policy?: PolicyRow<E>
  /** whether this service answers calls to an endpoint of the list; default: to all */
  isServed?(endpoint: E): boolean
  /** resources that its endpoints need besides keys, each with a page */
  readonly more?: readonly ResourceRow[]
}
