import { startCloudService, type CloudService } from './cloud-service.ts'
import { exactly, type Figure } from './figure.ts'

const FEW = { region: 'eu-west-1', count: 10_000 }
const MANY = { region: 'us-east-1', count: 100_000 }

/** A number of things in a region of their own. */
export type Amount = typeof FEW

/** Work of an instance in two steps. */
export interface Measured {
  /** Makes the things, which makes this process larger than the instance is. */
  readonly prepare: (service: CloudService, amount: Amount) => Promise<void>
  /** Has the instance go through them. @throws Error when it did not come across all of them */
  readonly work: (service: CloudService, amount: Amount) => Promise<{ readonly ms: number }>
}

/**
 * Peak memory of an instance: all things at once, against the same in ten portions. Ours: as much
 * work in both, since a heap grows with what passes through it until it has the size that its platform lets it have.
 */
export async function peakMemory(work: string, things: string, measured: Measured): Promise<Figure[]> {
  const service = await startCloudService([FEW.region, MANY.region])
  try {
    const few = await peakOf(service, FEW, measured)
    const many = await peakOf(service, MANY, measured)
    return [
      {
        name: `${work}: peak memory, 100,000 ${things} / 10,000`,
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

async function peakOf(service: CloudService, amount: Amount, { prepare, work }: Measured): Promise<Peak> {
  const instance = await service.freshInstance() // before anything makes this process larger than it
  await prepare(service, amount)
  let ms = 0
  for (let done = 0; done < MANY.count; done += amount.count) ms += (await work(service, amount)).ms
  return { bytes: await instance.peakMemory(), ms }
}

const shown = ({ bytes, ms }: Peak): string => `${(bytes / 1_048_576).toFixed(0)} MiB in ${(ms / 1_000).toFixed(0)} s`
