import { workRowNamed } from '../work-row.ts'
import type { AnySynchronized } from './synchronized.ts'

/**
 * @param source `<cloud>` for its keys, `<cloud>/<resource>` for other resources
 * @throws Error, a fault, for a source that no job can have
 */
export async function synchronizedCloud(source: string): Promise<AnySynchronized> {
  const [cloud = '', of = ''] = source.split('/')
  const load = workRowNamed(cloud)?.synchronize?.[of]
  if (load === undefined) throw new Error(`There is nothing to synchronize of ${source}`)
  return load()
}
