import { workRowNamed, workRows } from '../../work-row.ts'
import type { Discovered } from './discovered.ts'

/** Names of the clouds whose containers can be found. */
export const discoveringClouds = (): string[] =>
  workRows().flatMap(({ name, discover }) => (discover === undefined ? [] : [name]))

/** @throws Error, a fault, for a cloud whose containers cannot be found */
export async function discoveredCloud(name: string): Promise<Discovered> {
  const load = workRowNamed(name)?.discover
  if (load === undefined) throw new Error(`Containers of ${name} cannot be found`)
  return load()
}
