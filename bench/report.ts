import { writeBareRows } from './bare-rows.ts'
import { benchedCloudA } from './cloud-a/cloud.ts'
import { startCloudService } from './cloud-service.ts'
import { medianOf, spreadOf, type Figure } from './figure.ts'
import { milliseconds } from './rounds.ts'
import { scaled } from './scale.ts'

const [REGION] = benchedCloudA.places
/** The maximum number of a report's rows; `KEYMGR_BENCH_ENTRIES` sets another number. */
const ENTRIES = Number(process.env.KEYMGR_BENCH_ENTRIES ?? scaled(100_000, 5_000))
const FROM = new Date('2026-01-01T00:00:00Z')
const ROUNDS = scaled(3, 1)
const PAGES = scaled(40, 5)

/** A report on a long log: its rate against only writing its rows, and a page of it at any position. */
export async function measure(): Promise<Figure[]> {
  const service = await startCloudService(benchedCloudA)
  try {
    await service.cloud.seedTrail(REGION, ENTRIES, FROM)
    const to = new Date(FROM.getTime() + ENTRIES * 1_000)
    const warm = await service.report(REGION, FROM, new Date(FROM.getTime() + 2_000_000))
    const rounds: { ours: number; bare: number; id: string }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const bare = await writeBareRows(service.table.endpoint, ENTRIES, `round-${round}`)
      const { ms, rows, id } = await service.report(REGION, FROM, to)
      if (rows !== ENTRIES) throw new Error(`The report has ${rows} rows of ${ENTRIES}`)
      rounds.push({ ours: ms, bare, id })
    }
    const id = rounds.at(-1)?.id ?? warm.id
    const pages: { first: number; last: number }[] = []
    for (let at = 0; at < PAGES; at++)
      pages.push({ first: await service.contents(id, at), last: await service.contents(id, ENTRIES - 20 - at) })
    const rate = (ms: number): string => `${Math.round((ENTRIES / ms) * 1_000)} rows/s`
    return [
      {
        name: `report of ${ENTRIES}: rate / writing the same rows bare`,
        measured: spreadOf(rounds.map(({ ours, bare }) => bare / ours)),
        promise: { atLeast: 0.6 },
        note: `${rate(medianOf(rounds.map(({ ours }) => ours)))} against ${rate(medianOf(rounds.map(({ bare }) => bare)))}`,
      },
      {
        name: 'report contents: last page / first',
        measured: spreadOf(pages.map(({ first, last }) => last / first)),
        promise: { atMost: 1.2 },
        note: `${milliseconds(medianOf(pages.map(({ last }) => last)))} against ${milliseconds(medianOf(pages.map(({ first }) => first)))}`,
      },
    ]
  } finally {
    await service.stop()
  }
}
