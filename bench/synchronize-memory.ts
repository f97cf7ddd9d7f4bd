import { startCloudService, type CloudService } from './cloud-service.ts'
import { exactly, type Figure } from './figure.ts'
import { seedCloudKeys } from './seed-cloud-keys.ts'

const FEW = { region: 'eu-west-1', keys: 10_000 }
const MANY = { region: 'us-east-1', keys: 100_000 }

/** What an instance holds at most while it reads a region in again: ten times the keys, against as many as one. */
export async function measure(): Promise<Figure[]> {
  const service = await startCloudService([FEW.region, MANY.region])
  try {
    const few = await peakOf(service, FEW)
    const many = await peakOf(service, MANY)
    return [
      {
        name: 'refresh: peak memory, 100,000 keys / 10,000',
        measured: exactly(many.bytes / few.bytes),
        promise: { atMost: 1.3 },
        note: `${shown(many)} against ${shown(few)}`,
      },
    ]
  } finally {
    await service.stop()
  }
}

interface Peak {
  readonly bytes: number
  readonly ms: number
}

async function peakOf(service: CloudService, { region, keys }: typeof FEW): Promise<Peak> {
  const instance = await service.freshInstance() // before seeding makes this process larger than it
  await seedCloudKeys(service, region, keys)
  const { added, updated, gone, ms } = await service.synchronize(region)
  if (added + updated + gone > 0) throw new Error('The seeded keys are not as the cloud has them')
  return { bytes: await instance.peakMemory(), ms }
}

const shown = ({ bytes, ms }: Peak): string => `${(bytes / 1_048_576).toFixed(0)} MiB in ${(ms / 1_000).toFixed(0)} s`
