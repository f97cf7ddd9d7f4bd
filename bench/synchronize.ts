import { startBareSurvey } from './bare-survey.ts'
import { startCloudService, type CloudService, type Synchronized } from './cloud-service.ts'
import { exactly, type Figure } from './figure.ts'
import { compare, milliseconds, versus } from './rounds.ts'
import { seedCloudKeys } from './seed-cloud-keys.ts'
import { listOf, sumOf } from './service.ts'
import { rowsWritten } from './table-writes.ts'
import { scaled } from './scale.ts'

const REGION = 'eu-west-1'
const KEYS = scaled(10_000, 500)
const REFRESH = `refresh ${KEYS.toLocaleString('en')}`
/** One key of this number changes. */
const CHANGED = 100
const ROUNDS = scaled(3, 1)

/** Synchronizes a known region: rows written when nothing or little changed, and its rate against the cloud's own. */
export async function measure(): Promise<Figure[]> {
  const service = await startCloudService([REGION])
  try {
    await seedCloudKeys(service, REGION, KEYS)
    const unchanged = await countedOf(service)
    if (unchanged.updated > 0) throw new Error(`${unchanged.updated} of the seeded keys are not as the cloud has them`)
    const rates = await ratesOf(service)
    const keys = await service.cloud.keysIn(REGION)
    const some = keys.filter((_, at) => at % CHANGED === 0).map(({ id }) => id)
    await service.cloud.describeAnew(REGION, some)
    const changed = await countedOf(service)
    return [
      {
        name: `${REFRESH}: key rows written, nothing changed`,
        measured: exactly(keyRows(unchanged)),
        promise: { exactly: 0 },
        note: `in all ${listOf(unchanged.rows)}`,
      },
      ...rates,
      {
        name: `${REFRESH}: keys updated, 1 % changed`,
        measured: exactly(changed.updated),
        promise: { exactly: some.length },
        note: `${changed.added} added, ${changed.gone} gone`,
      },
      {
        name: `${REFRESH}: key rows written / changed key`,
        measured: exactly(keyRows(changed) / some.length),
        promise: { atMost: 1.1 },
        note: '',
      },
      {
        name: `${REFRESH}: rows written / changed key`,
        measured: exactly(sumOf(changed.rows) / some.length),
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

async function countedOf({ table, synchronize }: CloudService): Promise<Counted> {
  table.reset()
  const synchronized = await synchronize(REGION)
  return { ...synchronized, rows: rowsWritten(table) }
}

const keyRows = ({ rows }: Counted): number => rows['cloud-a-key'] ?? 0

/** Both sides ask the same simulator, each from a process of its own. */
async function ratesOf({ cloud, synchronize }: CloudService): Promise<Figure[]> {
  const bare = startBareSurvey(cloud, REGION, KEYS)
  try {
    await bare.run('whole') // compiled and connected, as ours is by now
    const refresh = async (): Promise<void> => {
      await synchronize(REGION)
    }
    const survey = async (): Promise<void> => {
      await bare.run('whole')
    }
    // Rates are the other way round than times, so bare takes the place of ours.
    const { ratio, oursMs, bareMs } = await compare({
      ours: { run: survey },
      bare: { run: refresh },
      rounds: ROUNDS,
      turns: 1,
      calls: KEYS,
      warmUp: 0,
    })
    const describedMs = (await bare.run('described')) / KEYS
    return [
      {
        name: `${REFRESH}: rate / the bare client asking the same`,
        measured: ratio,
        promise: { atLeast: 0.5 },
        note: `${versus({ oursMs: bareMs, bareMs: oursMs })} a key`,
      },
      {
        name: `${REFRESH}: rate / ListKeys and DescribeKey alone`,
        measured: exactly(describedMs / bareMs),
        note: `against ${milliseconds(describedMs)} a key, which says less than a record holds`,
      },
    ]
  } finally {
    await bare.stop()
  }
}
