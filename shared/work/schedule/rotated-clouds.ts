import { cloudARotated } from '../../clouds/cloud-a/rotated.ts'
import { cloudCRotated } from '../../clouds/cloud-c/rotated.ts'
import type { AnyRotated } from './rotated.ts'

/** A row for each cloud whose keys take part in scheduled rotation. */
export const ROTATED: Readonly<Record<string, AnyRotated>> = {
  'cloud-a': cloudARotated,
  'cloud-c': cloudCRotated,
}

/** @throws Error, a fault, for a cloud no configuration can have been made for */
export function rotatedCloud(name: string): AnyRotated {
  const cloud = ROTATED[name]
  if (cloud === undefined) throw new Error(`There are no keys of ${name} to rotate`)
  return cloud
}
