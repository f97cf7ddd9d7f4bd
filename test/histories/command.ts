/**
 * `npm run test:histories -- <count> [--from <seed>]`: plays histories of concurrent clients against local deployments
 * with faults, and searches for an order that explains each. Prints the seeds of those that have none, and exits with 1.
 * The number of histories per deployment is bounded, so that memory is too.
 */
import { parseArgs } from 'node:util'
import { buildFunctions } from '../../infra/build.ts'
import { FUNCTIONS } from '../../infra/functions.ts'
import { runHistories } from './run.ts'
import { BUNDLES, startSetting } from './setting.ts'

const PER_DEPLOYMENT = 250

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string' }, built: { type: 'boolean' } },
})
const count = Number(positionals[0] ?? 100)
const from = Number(values.from ?? Math.floor(Math.random() * 1_000_000_000))
if (values.built !== true) await buildFunctions({ outDir: BUNDLES, functions: FUNCTIONS })

const began = Date.now()
let [done, failed] = [0, 0]
while (done < count) {
  const setting = await startSetting()
  const part = Math.min(PER_DEPLOYMENT, count - done)
  const { histories, calls, unanswered, proven, unexplained } = await runHistories(setting, {
    from: from + done,
    count: part,
  })
  await setting.stop()
  done += histories
  failed += unexplained.length
  for (const { text } of unexplained) process.stdout.write(`${text}\n\n`)
  const seconds = Math.round((Date.now() - began) / 1_000)
  process.stdout.write(
    `${done} of ${count} histories from seed ${from}, ${failed} unexplained, ${seconds} s; the last ${histories}: ` +
      `${calls} calls, ${unanswered} unanswered, ${proven} records proven\n`,
  )
}
process.exit(failed === 0 ? 0 : 1)
