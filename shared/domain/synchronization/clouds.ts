import { cloudASynchronized } from '../cloud-a/synchronized.ts'
import type { AnySynchronized } from './synchronized.ts'

/** Clouds whose keys can be synchronized: a row each. */
const CLOUDS: Readonly<Record<string, AnySynchronized>> = { 'cloud-a': cloudASynchronized }

/** @throws Error, a fault, for a cloud that no job can have been made for */
export function synchronizedCloud(cloudName: string): AnySynchronized {
  const cloud = CLOUDS[cloudName]
  if (cloud === undefined) throw new Error(`There is nothing to synchronize of ${cloudName}`)
  return cloud
}
