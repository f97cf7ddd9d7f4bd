import type { JSX } from 'preact'
import type { Call } from '../calls.ts'
import type { Action, AddWay } from '../forms/actions.tsx'
import type { FieldRow } from '../forms/fields.ts'
import type { FilterRow } from '../list/filters.tsx'
import type { PageOf } from '../list/pages.ts'
import type { Query } from '../service.ts'
import type { AttributeRow } from '../words/attributes.tsx'
import type { Tone } from '../words/states.tsx'

/** An endpoint as lists and titles show it. */
export interface EndpointSummary {
  readonly id: string
  readonly uri: string
  readonly name: string
  readonly state: string
  readonly tone: Tone
  /** where callers reach it */
  readonly address: string
  readonly key: string
  readonly createdAt: string
  /** on its way to another state */
  readonly isMoving?: boolean
}

/** A policy as it decides. */
export interface PolicyText {
  readonly rego: string
  /** made from simple rules, which are changed in another way */
  readonly isDerived: boolean
}

export interface ReplayProps<E> {
  readonly endpoint: E
  /** the text of the editor, where it is not the policy as it is */
  readonly rego: string | undefined
  /** shows the faults of the text at their lines */
  readonly placing: <T>(sent: Promise<T>) => Promise<T>
}

/** The policy of an endpoint, in Rego. */
export interface PolicyRow<E> {
  readonly title: string
  readonly about: string
  load(endpoint: E, signal: AbortSignal): Promise<PolicyText>
  save(endpoint: E, rego: string, now: PolicyText): Call
  /** tries a text without storing it, or without a text the policy as it is; its answer is a `Decision` */
  test(endpoint: E, rego: string | undefined, input: unknown): Call
  /** decides past calls again, by the text as it is */
  Replay?(props: ReplayProps<E>): JSX.Element
  /** members of the input, named from `input/` on */
  readonly input: readonly FieldRow[]
  readonly example: unknown
}

export interface Decision {
  readonly allowed: boolean
  readonly decided_by: { readonly rule: string; readonly line?: number }
  readonly error?: { readonly code: string }
}

/** A protocol by which others use keys that stay here: all that the console knows of its endpoints. For the methods, see `PlaceRow`. */
export interface ProtocolRow<E = unknown> {
  /** in addresses of the console */
  readonly name: string
  readonly title: string
  /** an endpoint, in the singular */
  readonly noun: string
  /** who calls it, in a sentence */
  readonly about: string
  /** service and kind in the URIs of endpoints */
  readonly uri: string
  readonly list: (query: Query, signal: AbortSignal) => Promise<PageOf<E>>
  readonly get: (id: string, signal: AbortSignal) => Promise<E>
  summary(endpoint: E): EndpointSummary
  attributes(endpoint: E): readonly AttributeRow[]
  readonly filters: readonly FilterRow[]
  /** an action named `delete` ends with the list */
  readonly actions: readonly Action<E>[]
  readonly add: AddWay
  /** secrets of an answer, which are shown once */
  readonly secrets?: (answer: unknown) => readonly AttributeRow[]
  readonly policy?: PolicyRow<E>
}
