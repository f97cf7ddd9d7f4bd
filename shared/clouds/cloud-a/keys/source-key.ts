import { specNamed } from '../adapter/specs.ts'
import type { Journal } from '../../../base/journal.ts'
import type { Context } from '../../../http/context.ts'
import type { CloudAKey, CloudAName } from './model.ts'
import { localKeys } from '../../../vault/keys/store.ts'
import { madeForCloud, makeForCloud } from '../../../vault/keys/make-for-cloud.ts'

/** The source of a cloud key's material. */
interface Wanted {
  /** of the piece of work */
  readonly id: string
  /** the local key that was named; absent: a new one is made */
  readonly local_key_id?: string | undefined
  /** the cloud's kind of key */
  readonly spec: string
}

/** The local key whose material may be at the cloud by now. */
export const sourceSoFar = ({ local_key_id }: Pick<Wanted, 'local_key_id'>, journal: Journal): string | undefined =>
  local_key_id ?? madeForCloud(journal)

/** Id of the local key whose material a cloud key gets: the one that was named, or a new one, made once. */
export async function sourceFor(
  context: Context,
  { id, local_key_id, spec }: Wanted,
  cloud: CloudAName,
  journal: Journal,
): Promise<string> {
  if (local_key_id !== undefined) return local_key_id
  return makeForCloud(context, { name: `cloud-a-${id}`, ...specNamed(spec).fits(cloud) }, journal)
}

/** The local key that a cloud key's material is from, as its record names it. */
export async function sourceOf(
  { caller }: Pick<Context, 'caller'>,
  localKeyId: string,
): Promise<Pick<CloudAKey, 'key_source' | 'local_key_id' | 'local_key_name'>> {
  const source = await localKeys.get(caller.domain.id, localKeyId)
  return {
    key_source: 'local',
    local_key_id: localKeyId,
    ...(source && { local_key_name: source.item.name }),
  }
}
