/** The CDK app (`npm run synth`, `npm run cdk`): bundles, synthesizes to `cdk.out` and checks. */
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildFunctions } from '../build.ts'
import { OptionError } from './options.ts'
import { findingsIn, overfull, stacksIn, synthesize, type StackSummary, type Synthesized } from './synthesize.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BUNDLES = path.join(ROOT, 'dist/functions')

/** Resource types that the summary counts. */
const COUNTED = {
  functions: 'AWS::Lambda::Function',
  routes: 'AWS::ApiGatewayV2::Route',
  schedules: 'AWS::Scheduler::Schedule',
  flows: 'AWS::StepFunctions::StateMachine',
  tables: 'AWS::DynamoDB::Table',
  keys: 'AWS::KMS::Key',
  alarms: 'AWS::CloudWatch::Alarm',
}

await buildFunctions({ outDir: BUNDLES })
try {
  // The CDK's command line sets the output folder; without it this is `npm run synth`.
  const outDir = process.env.CDK_OUTDIR ?? path.join(ROOT, 'cdk.out')
  report(synthesize({ bundles: BUNDLES, outDir, environment: process.env }), outDir)
} catch (error) {
  if (!(error instanceof OptionError)) throw error
  console.error(error.message)
  process.exitCode = 2
}

/** Prints to standard error, because standard output belongs to the CDK's command line. */
function report({ app }: Synthesized, outDir: string): void {
  const stacks = stacksIn(app)
  const faults = [
    ...findingsIn(app).map(({ rule, construct, description }) => `${rule} at ${construct}: ${description}`),
    ...overfull(stacks),
  ]
  for (const line of [...stacks.map(describe), ...faults]) console.error(line)
  console.error(
    faults.length === 0
      ? `Rules checked (AWS Solutions): nothing found that is not excused. Written to ${path.relative(process.cwd(), outDir)}.`
      : `Findings that are not excused: ${faults.length}.`,
  )
  if (faults.length > 0) process.exitCode = 1
}

function describe({ name, types }: StackSummary): string {
  const counts = Object.entries(COUNTED)
    .map(([what, type]) => ({ what, count: types.filter((each) => each === type).length }))
    .filter(({ count }) => count > 0)
    .map(({ what, count }) => `${what} ${count}`)
  return `${name}: resources ${types.length}, among them ${counts.join(', ')}`
}
