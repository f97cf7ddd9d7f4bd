import { startCloudService, type CloudService } from './cloud-service.ts'
import { exactly, type Figure } from './figure.ts'

const FEW = { region: 'eu-west-1', entries: 10_000 }
const MANY = { region: 'us-east-1', entries: 100_000 }
const FROM = new Date('2026-01-01T00:00:00Z')

/** What an instance holds at most while it makes a report: of ten times the entries, against as many as one. */
export async function measure(): Promise<Figure[]> {
  const service = await startCloudService([FEW.region, MANY.region])
  try {
    const few = await peakOf(service, FEW)
    const many = await peakOf(service, MANY)
    return [
      {
        name: 'report: peak memory, 100,000 entries / 10,000',
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

async function peakOf(service: CloudService, { region, entries }: typeof FEW): Promise<Peak> {
  const instance = await service.freshInstance() // before anything makes this process larger than it
  await service.cloud.seedTrail(region, entries, FROM)
  const { ms, rows } = await service.report(region, FROM, new Date(FROM.getTime() + entries * 1_000))
  if (rows !== entries) throw new Error(`The report has ${rows} rows of ${entries}`)
  return { bytes: await instance.peakMemory(), ms }
}

const shown = ({ bytes, ms }: Peak): string => `${(bytes / 1_048_576).toFixed(0)} MiB in ${(ms / 1_000).toFixed(0)} s`
