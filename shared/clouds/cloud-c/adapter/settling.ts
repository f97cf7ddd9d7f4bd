import { Refusal } from '../../../base/errors.ts'
import { getVersion } from './reading.ts'
import type { CloudCPlace, CloudCVersionRead } from './types.ts'
import { until } from './errors.ts'
import { versionRead, type Version } from './wire.ts'

const isUnderWay = ({ state }: Version): boolean => state === 'PENDING_GENERATION' || state === 'PENDING_IMPORT'

/**
 * Waits until the cloud has generated or accepted a version's material.
 * @throws Refusal CLOUD_INVALID with the cloud's reason when it rejected the material, CLOUD_UNAVAILABLE when it could
 * not generate it, CLOUD_TIMEOUT when the budget ends first
 */
export async function settled(place: CloudCPlace, ref: string, number: string): Promise<CloudCVersionRead> {
  const version = await until(place.budget, async () => {
    const seen = await getVersion(place, ref, number)
    return isUnderWay(seen) ? undefined : seen
  })
  if (version.state === 'IMPORT_FAILED')
    throw new Refusal(
      'CLOUD_INVALID',
      `Cloud-c refused the material: ${(version.importFailureReason ?? 'no reason given').slice(0, 300)}`,
    )
  if (version.state === 'GENERATION_FAILED')
    throw new Refusal('CLOUD_UNAVAILABLE', 'Cloud-c could not make the material.')
  return versionRead(version)
}
