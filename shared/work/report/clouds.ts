import { cloudAReported } from '../../clouds/cloud-a/reported.ts'
import { cloudCReported } from '../../clouds/cloud-c/reported.ts'
import type { AnyReported } from './reported.ts'

/** Clouds of which reports are made: a row each. */
export const REPORTED: readonly AnyReported[] = [cloudAReported, cloudCReported]

/** @throws Error, a fault, for a cloud of which no report can have been made */
export function reportedCloud(name: string): AnyReported {
  const cloud = REPORTED.find((each) => each.cloud === name)
  if (cloud === undefined) throw new Error(`There are no reports of ${name}`)
  return cloud
}
