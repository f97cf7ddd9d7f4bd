import { Refusal } from '../base/errors.ts'
import { without } from '../base/fields.ts'
import type { Context } from '../http/context.ts'
import type { Stored } from '../store/entity.ts'
import { changeRecord } from '../resource/records.ts'
import type { ENDPOINT_STATUSES, EndpointKind, EndpointRecord } from './kinds.ts'

/** An endpoint that can be disabled and archived. */
export interface EndpointWithStatus extends EndpointRecord {
  readonly status: (typeof ENDPOINT_STATUSES)[number]
  readonly archived_at?: string | undefined
}

type Noun = Pick<EndpointKind<never, never, never>, 'noun'>

const conflict = (sentence: string): Refusal => new Refusal('STATE_CONFLICT', sentence)

/** @throws Refusal STATE_CONFLICT for an archived endpoint */
export function assertNotArchived({ noun }: Noun, { name, status }: EndpointWithStatus): void {
  if (status === 'Archived') throw conflict(`The ${noun} ${name} is archived: recover it first.`)
}

/** @throws Refusal STATE_CONFLICT for a disabled or archived endpoint */
export function assertEnabled(kind: Noun, endpoint: EndpointWithStatus): void {
  assertNotArchived(kind, endpoint)
  if (endpoint.status === 'Disabled') throw conflict(`The ${kind.noun} ${endpoint.name} is disabled.`)
}

type Act<S> = (context: Context, id: string) => Promise<Stored<S>>

const setStatus =
  <T extends EndpointWithStatus, R extends object, S>(
    kind: EndpointKind<T, R, S>,
    status: 'Enabled' | 'Disabled',
  ): Act<S> =>
  (context, id) =>
    changeRecord(kind, context, id, (endpoint) => {
      assertNotArchived(kind, endpoint)
      if (endpoint.status !== status) return { ...endpoint, status }
      throw conflict(`The ${kind.noun} ${endpoint.name} is ${status} already.`)
    })

/**
 * The verbs that change the state of a kind of endpoint. Each refuses with NOT_FOUND and VERSION_STALE, and with
 * STATE_CONFLICT if the present state does not permit the change.
 */
export const statesOf = <T extends EndpointWithStatus, R extends object, S>(kind: EndpointKind<T, R, S>) => ({
  /** Disabled to enabled. */
  enable: setStatus(kind, 'Enabled'),
  /** Enabled to disabled. */
  disable: setStatus(kind, 'Disabled'),
  /** Archives an enabled or disabled endpoint: it refuses all calls and changes. Its key stays. */
  archive: ((context, id) =>
    changeRecord(kind, context, id, (endpoint) => {
      assertNotArchived(kind, endpoint)
      return { ...endpoint, status: 'Archived', archived_at: context.now.toISOString() }
    })) satisfies Act<S>,
  /** Archived to disabled. */
  recover: ((context, id) =>
    changeRecord(kind, context, id, (endpoint) => {
      if (endpoint.status !== 'Archived') throw conflict(`The ${kind.noun} ${endpoint.name} is not archived.`)
      return { ...(without(endpoint, 'archived_at') as T), status: 'Disabled' } // `archived_at` is optional
    })) satisfies Act<S>,
})
