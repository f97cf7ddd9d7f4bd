/** The CDK app (`npm run synth`, `npx cdk`): bundles, synthesizes to `cdk.out` and checks. */
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { buildFunctions } from '../build.ts'
import { OptionError } from './options.ts'
import { findingsIn, synthesize, type Synthesized } from './synthesize.ts'

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
  // The CDK's command line says where it will look; without it we are `npm run synth`.
  const outDir = process.env.CDK_OUTDIR ?? path.join(ROOT, 'cdk.out')
  report(synthesize({ bundles: BUNDLES, outDir, environment: process.env }), outDir)
} catch (error) {
  if (!(error instanceof OptionError)) throw error
  console.error(error.message)
  process.exitCode = 2
}

/** Prints to standard error: standard output belongs to the CDK's command line. */
function report({ app, foundation, service }: Synthesized, outDir: string): void {
  const findings = findingsIn(app)
  for (const stack of [foundation, service]) console.error(describe(stack))
  for (const { rule, construct, description } of findings) console.error(`${rule} at ${construct}: ${description}`)
  console.error(
    findings.length === 0
      ? `Rules checked (AWS Solutions): nothing found that is not excused. Written to ${path.relative(process.cwd(), outDir)}.`
      : `Findings that are not excused: ${findings.length}.`,
  )
  if (findings.length > 0) process.exitCode = 1
}

function describe(stack: Stack): string {
  const { Resources } = Template.fromStack(stack).toJSON() as { Resources: Record<string, { Type: string }> }
  const types = Object.values(Resources).map(({ Type }) => Type)
  const counts = Object.entries(COUNTED)
    .map(([what, type]) => ({ what, count: types.filter((each) => each === type).length }))
    .filter(({ count }) => count > 0)
    .map(({ what, count }) => `${what} ${count}`)
  return `${stack.stackName}: resources ${types.length}, among them ${counts.join(', ')}`
}
