import { keyStoresSynchronized } from '../../clouds/cloud-a/key-stores/synchronized-stores.ts'
import { cloudASynchronized } from '../../clouds/cloud-a/synchronized.ts'
import { cloudCSynchronized } from '../../clouds/cloud-c/synchronized.ts'
import type { AnySynchronized } from './synchronized.ts'

/** What can be synchronized: a row for the keys of each cloud, and for what else it has. */
const CLOUDS: Readonly<Record<string, AnySynchronized>> = {
  'cloud-a': cloudASynchronized,
  'cloud-a/key-stores': keyStoresSynchronized,
  'cloud-c': cloudCSynchronized,
}

/** @throws Error, a fault, for what no job can have been made for */
export function synchronizedCloud(source: string): AnySynchronized {
  const cloud = CLOUDS[source]
  if (cloud === undefined) throw new Error(`There is nothing to synchronize of ${source}`)
  return cloud
}
