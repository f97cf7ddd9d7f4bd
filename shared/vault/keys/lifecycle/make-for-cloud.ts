import { textsOf } from '../../../base/json.ts'
import { alsoRecorded } from '../../../http/audit/also-recorded.ts'
import { LOCAL_KEY_STEP, type Journal } from '../../../base/journal.ts'
import type { Context, Subject } from '../../../http/context.ts'
import { LOCAL_ALGORITHMS, type AlgorithmName } from '../../../crypto/algorithms.ts'
import { USAGE } from '../../../crypto/usage.ts'
import { CreateLocalKey } from '../model.ts'
import { Changes } from '../../../store/changes.ts'
import { localKeys } from '../store.ts'
import { createKey } from './create-key.ts'

/** The spec of a local key that is created for upload to a cloud. */
export interface CloudKeySpec {
  /** Ours: derived from the work item, so that a resumed run finds its own key */
  readonly name: string
  readonly algorithm: AlgorithmName
  readonly sizeBits: number
  readonly curve?: string | undefined
}

/** Always exportable, since it is created for upload. */
const bodyFor = ({ name, algorithm, sizeBits, curve }: CloudKeySpec): CreateLocalKey =>
  CreateLocalKey.parse({
    name,
    algorithm,
    usageMask: LOCAL_ALGORITHMS[algorithm].defaultUsage | USAGE.export,
    unexportable: false,
    undeletable: false,
    ...(curve === undefined ? { size: sizeBits } : { curveid: curve }),
  })

/** Id of the local key that an earlier run created; `undefined` if there was none. */
export const madeForCloud = (journal: Journal): string | undefined => textsOf(journal.noted(LOCAL_KEY_STEP))[0]

/**
 * Creates a local key for a cloud, once. Ours: it needs no permission of its own, so a caller who may rotate a cloud
 * key need not be allowed to create local keys.
 * @returns its id
 */
export const makeForCloud = (context: Context, wanted: CloudKeySpec, journal: Journal): Promise<string> =>
  journal.step(
    LOCAL_KEY_STEP,
    async () => {
      const changes = new Changes()
      const about = (subject: Subject): void =>
        alsoRecorded(
          { ...context, changes },
          { service: 'vault', message: 'Create Key', action: `part of ${context.summary}`, subject },
        )
      const { id } = await createKey({ ...context, changes, about }, bodyFor(wanted), false)
      await changes.commit(context.now)
      return id
    },
    async () => localKeys.holder(context.caller.domain.id, 'name', wanted.name),
  )
