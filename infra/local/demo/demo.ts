import { Deleted } from '../../../shared/http/common-fields.ts'
import { LocalKey } from '../../../shared/vault/keys/model.ts'
import type { Caller } from './caller.ts'
import type { Narrator } from './narrator.ts'

/** Tools of every demo step. */
export interface Demo {
  readonly narrator: Narrator
  readonly service: Caller
  /** Name of everything the demo creates. It is new on each run, so the demo can be repeated. */
  readonly name: string
  /** Clean-up steps, run last to first. */
  readonly undo: (() => Promise<unknown>)[]
  readonly logIn: () => Promise<void>
  /** Moves the clock of service and clouds; only on a service that the demo started. */
  readonly passSeconds?: (seconds: number) => void
  /** The cloud's part of `endpoints.json`. @throws DemoFailure when the cloud is not simulated */
  readonly endpoints: () => unknown
}

/** The steps of one cloud. */
export interface CloudStory {
  /** Steps before a local key exists. @returns the time of the first record to show, RFC 3339 */
  readonly prepare?: () => Promise<string>
  readonly work: (local: LocalKey) => Promise<void>
  /** Messages of the audit records that these steps write. */
  readonly audited: readonly string[]
}

export const LOCAL_KEYS = '/v1/vault/keys2'

/** Deletes a local key whose material keys of the simulated clouds still have: it is deactivated first. */
export async function removeUsed(demo: Pick<Demo, 'service'>, key: string): Promise<void> {
  await demo.service.call('POST', `${LOCAL_KEYS}/${key}/revoke`, {
    body: { reason: 'CessationOfOperation' },
    answers: LocalKey,
    shows: ({ state }) => ({ state }),
  })
  await remove(demo, `${LOCAL_KEYS}/${key}?force=true`)
}

/** DELETE of any resource. */
export const remove = ({ service }: Pick<Demo, 'service'>, path: string) =>
  service.call('DELETE', path, { answers: Deleted, shows: (answer) => answer })
