import { workRowNamed, workRows } from '../../work-row.ts'
import type { AnyRotated } from './rotated.ts'

/** Names of the clouds and protocols whose keys can be rotated today. */
export const rotatedClouds = (): string[] =>
  workRows().flatMap(({ name, rotate }) => (rotate === undefined ? [] : [name]))

/** The rows whose keys the configurations of a cloud rotate: its own, and those of its protocols. */
export const rotatedWith = (cloud: string): string[] => [
  cloud,
  ...workRows().flatMap((row) => (row.rotatedWith === cloud ? [row.name] : [])),
]

/** @throws Error, a fault, for a cloud whose keys cannot have joined a configuration */
export async function rotatedCloud(name: string): Promise<AnyRotated> {
  const load = workRowNamed(name)?.rotate
  if (load === undefined) throw new Error(`Keys of ${name} are not rotated`)
  return load()
}
