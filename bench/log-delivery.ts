import '../shared/wiring.ts'
import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { recordDelivery } from '../shared/audit/log-delivery.ts'
import { startDeployment } from '../infra/local/deployment.ts'
import { uuid } from '../shared/base/ids.ts'
import { XKS_ACCESS_LOG } from '../shared/clouds/cloud-a/key-stores/proxy/access-log.ts'
import { exactly, medianOf, spreadOf, type Figure } from './figure.ts'
import { scaled } from './scale.ts'
import { BUNDLES, PASSWORD, UNTHROTTLED } from './service.ts'

const LINES = 1_000
const ROUNDS = scaled(9, 2)
/** Longer than any item of the table. */
const TOO_LARGE = 'a'.repeat(450_000)

/** A refusal that becomes a separate record. */
const lineOf = (domain: string, awsPrincipalArn: string): object => ({
  audit: true,
  message: XKS_ACCESS_LOG.message,
  traceId: randomUUID(),
  outcome: 'KeyNotFoundException',
  status: 404,
  ms: 1.5,
  ip: '203.0.113.9',
  operation: 'Encrypt',
  domain,
  key: randomUUID(),
  keyStore: randomUUID(),
  awsPrincipalArn,
  kmsRequestId: randomUUID(),
  kmsOperation: 'Encrypt',
})

/** A delivery of the log service, with one line that is too large. */
function delivery(now: Date): { awslogs: { data: string } } {
  const domains = Array.from({ length: 4 }, () => uuid(now))
  const logEvents = Array.from({ length: LINES }, (_, at) => ({
    id: randomUUID(),
    timestamp: now.getTime(),
    message: JSON.stringify(
      lineOf(domains[at % domains.length] ?? '', at === LINES / 2 ? TOO_LARGE : 'arn:aws:iam::111122223333:user/a'),
    ),
  }))
  return { awslogs: { data: gzipSync(JSON.stringify({ logEvents })).toString('base64') } }
}

/** Deliveries of 1,000 lines of data planes, one of them too large: all become records, and how many per second. */
export async function measure(): Promise<Figure[]> {
  const options = { bundles: BUNDLES, inMemory: true, adminPassword: PASSWORD, environment: UNTHROTTLED }
  const deployment = await startDeployment(options)
  Object.assign(process.env, deployment.environmentOf('triggers'))
  const rates: number[] = []
  let fewest = LINES
  try {
    for (let round = -1; round < ROUNDS; round++) {
      const event = delivery(deployment.clock.now())
      const from = performance.now()
      const { recorded } = await recordDelivery(event)
      if (round >= 0) rates.push((recorded / (performance.now() - from)) * 1_000)
      fewest = Math.min(fewest, recorded)
    }
  } finally {
    await deployment.stop()
  }
  const note = `${medianOf(rates).toFixed(0)} lines/s`
  return [
    { name: `log delivery: records of ${LINES} lines`, measured: exactly(fewest), promise: { exactly: LINES }, note },
    { name: 'log delivery: lines a second', measured: spreadOf(rates), note },
  ]
}
