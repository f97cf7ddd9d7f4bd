import type { Journal } from '../../base/journal.ts'
import type { Context } from '../../http/context.ts'
import { madeForCloud, makeForCloud, type CloudKeySpec } from '../../vault/keys/lifecycle/make-for-cloud.ts'
import { localKeys } from '../../vault/keys/store.ts'

export type LocalSpec = Omit<CloudKeySpec, 'name'>

/**
 * The source of the material that a saga uploads to a cloud. Without either field, the cloud generates the material.
 */
export interface WantedSource {
  readonly local_key_id?: string | undefined
  /** the local key to create */
  readonly new_local_key?: LocalSpec | undefined
}

/** Id of the given local key, or of a new one, created once. @param service the cloud's name in paths */
export const localKeyFor = async (
  context: Context,
  service: string,
  localKeyId: string | undefined,
  spec: LocalSpec,
  journal: Journal,
): Promise<string> => localKeyId ?? makeForCloud(context, { name: `${service}-${journal.id}`, ...spec }, journal)

/**
 * Id of the local key whose material is uploaded: the given one, or a new one, created once; `undefined` if the cloud
 * generates the material.
 */
export async function sourceFor(
  context: Context,
  service: string,
  { local_key_id, new_local_key: spec }: WantedSource,
  journal: Journal,
): Promise<string | undefined> {
  return spec === undefined ? local_key_id : localKeyFor(context, service, local_key_id, spec, journal)
}

/** The local key whose material the cloud may have received so far. */
export const sourceSoFar = ({ local_key_id }: WantedSource, journal: Journal): string | undefined =>
  local_key_id ?? madeForCloud(journal)

/** A cloud key's reference to a local key. */
export interface LocalSource {
  readonly local_key_id: string
  readonly local_key_name?: string
  readonly local_key_version?: number
}

/** One read. */
export async function localSource({ caller }: Pick<Context, 'caller'>, localKeyId: string): Promise<LocalSource> {
  const source = await localKeys.get(caller.domain.id, localKeyId)
  return {
    local_key_id: localKeyId,
    ...(source && { local_key_name: source.item.name, local_key_version: source.item.version }),
  }
}
