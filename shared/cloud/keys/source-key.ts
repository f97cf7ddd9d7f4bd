import type { Journal } from '../../base/journal.ts'
import type { Context } from '../../http/context.ts'
import { madeForCloud, makeForCloud, type CloudKeySpec } from '../../vault/keys/lifecycle/make-for-cloud.ts'

/** Input of work that brings material into a cloud. */
interface Wanted {
  /** absent: a new local key is made */
  readonly local_key_id?: string | undefined
}
export type LocalSpec = Omit<CloudKeySpec, 'name'>

/**
 * Id of the local key whose material a cloud gets: the named one, or a new one, made once.
 * @param service the cloud, as paths name it
 */
export const sourceFor = async (
  context: Context,
  service: string,
  { local_key_id }: Wanted,
  specOf: () => LocalSpec,
  journal: Journal,
): Promise<string> => local_key_id ?? makeForCloud(context, { name: `${service}-${journal.id}`, ...specOf() }, journal)

/** The local key whose material may be at the cloud by now. */
export const sourceSoFar = ({ local_key_id }: Wanted, journal: Journal): string | undefined =>
  local_key_id ?? madeForCloud(journal)
