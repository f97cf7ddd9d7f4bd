import { startCloudService, type CloudService } from './cloud-service.ts'
import type { BenchedCloud } from './benched-cloud.ts'
import { exactly, type Figure } from './figure.ts'
import { scaled } from './scale.ts'
import type { SimulatedCloud } from './simulated-cloud.ts'

const [FEW, MANY] = [scaled(10_000, 200), scaled(100_000, 2_000)]

/** A number of items in a separate place. */
interface Amount {
  readonly place: string
  readonly count: number
}

/** Work of an instance in two steps. */
interface Measured<C extends SimulatedCloud> {
  /** Creates the items, which makes this process larger than the instance is. */
  readonly prepare: (service: CloudService<C>, amount: Amount) => Promise<void>
  /** Lets the instance process them. @throws Error unless it processed all */
  readonly work: (service: CloudService<C>, amount: Amount) => Promise<{ readonly ms: number }>
}

/**
 * Peak memory of an instance: all items at once, against the same in ten portions. Ours: the same amount of work in
 * both, since a heap grows with its throughput up to the size that its platform allows.
 */
export async function peakMemory<C extends SimulatedCloud>(
  benched: BenchedCloud<C>,
  work: string,
  things: string,
  measured: Measured<C>,
): Promise<Figure[]> {
  const service = await startCloudService(benched)
  const [ofFew, ofMany] = benched.places
  try {
    const few = await peakOf(service, { place: ofFew, count: FEW }, measured)
    const many = await peakOf(service, { place: ofMany, count: MANY }, measured)
    return [
      {
        name: `${work}: peak memory, ${MANY.toLocaleString('en')} ${things} / ${FEW.toLocaleString('en')}`,
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

async function peakOf<C extends SimulatedCloud>(
  service: CloudService<C>,
  amount: Amount,
  { prepare, work }: Measured<C>,
): Promise<Peak> {
  const instance = await service.freshInstance() // before other work makes this process larger than the instance
  await prepare(service, amount)
  let ms = 0
  for (let done = 0; done < MANY; done += amount.count) ms += (await work(service, amount)).ms
  return { bytes: await instance.peakMemory(), ms }
}

const shown = ({ bytes, ms }: Peak): string => `${(bytes / 1_048_576).toFixed(0)} MiB in ${(ms / 1_000).toFixed(0)} s`
