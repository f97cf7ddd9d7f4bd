import type { Figure } from './figure.ts'
import { peakMemory } from './peak-memory.ts'
import { seedCloudKeys } from './seed-cloud-keys.ts'

/** Peak memory of an instance during a synchronization, with ten times the keys against the usual number. */
export const measure = (): Promise<Figure[]> =>
  peakMemory('refresh', 'keys', {
    prepare: (service, { region, count }) => seedCloudKeys(service, region, count),
    work: async (service, { region }) => {
      const { added, updated, gone, ms } = await service.synchronize(region)
      if (added + updated + gone > 0) throw new Error('The seeded keys are not as the cloud has them')
      return { ms }
    },
  })
