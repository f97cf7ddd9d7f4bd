import type { BenchedCloud } from './benched-cloud.ts'
import type { Figure } from './figure.ts'
import { peakMemory } from './peak-memory.ts'
import { seedCloudKeys } from './seed-cloud-keys.ts'
import type { SimulatedCloud } from './simulated-cloud.ts'

/**
 * Peak memory of an instance during a synchronization, with ten times the usual number of keys against the usual
 * number.
 */
export const measureMemory = <C extends SimulatedCloud>(benched: BenchedCloud<C>): Promise<Figure[]> =>
  peakMemory(benched, `refresh of ${benched.name}`, 'keys', {
    prepare: (service, { place, count }) => seedCloudKeys(service, place, count),
    work: async (service, { place }) => {
      const { added, updated, gone, ms } = await service.synchronize(place)
      if (added + updated + gone > 0) throw new Error('The seeded keys are not as the cloud has them')
      return { ms }
    },
  })
