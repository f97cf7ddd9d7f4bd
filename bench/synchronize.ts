import type { BenchedCloud } from './benched-cloud.ts'
import { startCloudService, type CloudService, type Synchronized } from './cloud-service.ts'
import { exactly, type Figure } from './figure.ts'
import { compare, milliseconds, versus } from './rounds.ts'
import { seedCloudKeys } from './seed-cloud-keys.ts'
import { listOf, sumOf } from './service.ts'
import { rowsWritten } from './table-writes.ts'
import { scaled } from './scale.ts'
import type { SimulatedCloud } from './simulated-cloud.ts'
import { WHOLE } from './survey.ts'

const KEYS = scaled(10_000, 500)
/** One key out of this number changes. */
const CHANGED = 100
const ROUNDS = scaled(3, 1)

/**
 * Synchronizes a known place: rows written when little or nothing changed, and its rate against the cloud's own.
 * @param rate the promised share of the bare client's rate
 */
export async function measureRefresh<C extends SimulatedCloud>(
  benched: BenchedCloud<C>,
  rate: number,
): Promise<Figure[]> {
  const { keyEntity } = benched
  const [place] = benched.places
  const refresh = `refresh ${KEYS.toLocaleString('en')} of ${benched.name}`
  const service = await startCloudService(benched)
  try {
    await seedCloudKeys(service, place, KEYS)
    const unchanged = await countedOf(service, place)
    if (unchanged.updated > 0) throw new Error(`${unchanged.updated} of the seeded keys are not as the cloud has them`)
    const rates = await ratesOf(service, benched, refresh, rate)
    const altered = await service.cloud.changeEvery(place, CHANGED)
    const changed = await countedOf(service, place)
    return [
      {
        name: `${refresh}: key rows written, nothing changed`,
        measured: exactly(unchanged.rows[keyEntity] ?? 0),
        promise: { exactly: 0 },
        note: `in all ${listOf(unchanged.rows)}`,
      },
      ...rates,
      {
        name: `${refresh}: keys updated, 1 % changed`,
        measured: exactly(changed.updated),
        promise: { exactly: altered },
        note: `${changed.added} added, ${changed.gone} gone`,
      },
      {
        name: `${refresh}: key rows written / changed key`,
        measured: exactly((changed.rows[keyEntity] ?? 0) / altered),
        promise: { atMost: 1.1 * (benched.rowsOfChange ?? 1) },
        note: '',
      },
      {
        name: `${refresh}: rows written / changed key`,
        measured: exactly(sumOf(changed.rows) / altered),
        note: `in all ${listOf(changed.rows)}`,
      },
    ]
  } finally {
    await service.stop()
  }
}

interface Counted extends Synchronized {
  /** by kind */
  readonly rows: Readonly<Record<string, number>>
}

async function countedOf({ table, synchronize }: CloudService, place: string): Promise<Counted> {
  table.reset()
  const synchronized = await synchronize(place)
  return { ...synchronized, rows: rowsWritten(table) }
}

/** Both sides call the same simulator, each from a process of its own. */
async function ratesOf<C extends SimulatedCloud>(
  { cloud, synchronize }: CloudService<C>,
  { places: [place], startSurvey, besides }: BenchedCloud<C>,
  refresh: string,
  rate: number,
): Promise<Figure[]> {
  const bare = startSurvey(cloud, place, KEYS)
  try {
    await bare.run(WHOLE) // warms up the bare client; keymgr is warm already
    // A rate is the inverse of a time, so `ours` and `bare` are exchanged.
    const { ratio, oursMs, bareMs } = await compare({
      ours: { run: () => bare.run(WHOLE) },
      bare: { run: () => synchronize(place) },
      rounds: ROUNDS,
      turns: 1,
      calls: KEYS,
      warmUp: 0,
    })
    const others: Figure[] = []
    for (const { depth, name, remark } of besides) {
      const ms = (await bare.run(depth)) / KEYS
      others.push({
        name: `${refresh}: rate / ${name}`,
        measured: exactly(ms / bareMs),
        note: `against ${milliseconds(ms)} a key, which ${remark}`,
      })
    }
    return [
      {
        name: `${refresh}: rate / the bare client asking the same`,
        measured: ratio,
        promise: { atLeast: rate },
        note: `${versus({ oursMs: bareMs, bareMs: oursMs })} a key`,
      },
      ...others,
    ]
  } finally {
    await bare.stop()
  }
}
