import { benchedCloudA } from './cloud-a/cloud.ts'
import type { Figure } from './figure.ts'
import { peakMemory } from './peak-memory.ts'

const FROM = new Date('2026-01-01T00:00:00Z')

/** Peak memory of an instance during a report, with ten times the usual number of entries against the usual number. */
export const measure = (): Promise<Figure[]> =>
  peakMemory(benchedCloudA, 'report', 'entries', {
    prepare: ({ cloud }, { place, count }) => cloud.seedTrail(place, count, FROM),
    work: async (service, { place, count }) => {
      const { ms, rows } = await service.report(place, FROM, new Date(FROM.getTime() + count * 1_000))
      if (rows !== count) throw new Error(`The report has ${rows} rows of ${count}`)
      return { ms }
    },
  })
