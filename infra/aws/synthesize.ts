import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import {
  ASSET_RESOURCE_METADATA_ENABLED_CONTEXT,
  DEFAULT_CROSS_STACK_REFERENCES,
  PATH_METADATA_ENABLE_CONTEXT,
  VALIDATE_AGAINST_DEFAULT_RULES,
} from 'aws-cdk-lib/cx-api'
import { AwsSolutionsChecks } from 'cdk-nag'
import { defined } from '../../shared/base/fields.ts'
import { FoundationStack } from './foundation-stack.ts'
import type { Concurrency } from './api-function.ts'
import { readOptions, type DeployOptions } from './options.ts'
import { ServiceStack } from './service-stack.ts'

export interface SynthesizeOptions {
  /** Folder with the output of `buildFunctions`. */
  readonly bundles: string
  /** Receives templates and assets, for `cdk deploy` and `sam local`. */
  readonly outDir: string
  /** Read for options; default `process.env`, for tests another. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Equivalent to `-c`. */
  readonly context?: Readonly<Record<string, string>>
  /** `false` saves a second: the templates are not validated against CloudFormation's own schemas. */
  readonly templatesChecked?: boolean
}

/**
 * Set here and not in `cdk.json`, which only the CDK's command line reads, so that both ways result in the same
 * templates.
 */
const CONTEXT = {
  [VALIDATE_AGAINST_DEFAULT_RULES]: true, // a fault in a template is an error; by default the library only warns
  [ASSET_RESOURCE_METADATA_ENABLED_CONTEXT]: true, // location of each function's code, for `sam local`
  [DEFAULT_CROSS_STACK_REFERENCES]: 'strong', // an export in use cannot be removed from the foundation
  [PATH_METADATA_ENABLE_CONTEXT]: true, // the command line's own default
}

/** A rule that is violated and not excused. */
export interface Finding {
  /** `AwsSolutions-SQS3`, with brackets if a rule has several findings */
  readonly rule: string
  readonly description: string
  /** path of the construct, starting with its stack */
  readonly construct: string
}

export interface Synthesized {
  readonly app: App
  readonly foundation: FoundationStack
  readonly service: ServiceStack
}

/**
 * Writes the stacks to `outDir`. Needs no account and no network: if none is given, the templates fit any account.
 * @throws OptionError; Error if CloudFormation would refuse a template
 */
export function synthesize(options: SynthesizeOptions): Synthesized {
  const { bundles, outDir, environment, context, templatesChecked = true } = options
  const app = new App({
    outdir: outDir,
    analyticsReporting: false,
    builtinCloudFormationValidation: templatesChecked,
    context: { ...CONTEXT, ...context },
  })
  const told = readOptions((name) => app.node.tryGetContext(name), environment)
  const { account, region, domainName, certificateArn } = told
  const { mutualTlsDomainName, mutualTlsCertificateArn, mutualTlsTrustStore } = told
  const env = defined({ account, region })

  const foundation = new FoundationStack(app, 'keymgr-foundation', {
    env,
    description: 'keymgr: table, keys and event bus',
    adopted: told,
    ...(told.auditArchiveDays !== undefined && { auditArchiveDays: Number(told.auditArchiveDays) }),
  })
  const service = new ServiceStack(app, 'keymgr-service', {
    env,
    description: 'keymgr: functions, HTTP API, schedules, flows and alarms',
    foundation,
    bundles,
    baseUrl: told.baseUrl,
    alarmEmail: told.alarmEmail,
    auditRetention: told.auditRetentionDays,
    legacyAlgorithms: told.legacyAlgorithms,
    traceToClouds: told.traceToClouds,
    otlpEndpoint: told.otlpEndpoint,
    ...(told.runtimeRoleArn !== undefined && {
      runtimeRole: { arn: told.runtimeRoleArn, externalId: told.runtimeRoleExternalId },
    }),
    hasFrontDoor: told.frontDoor !== 'none',
    concurrency: concurrencyOf(told),
    ...(domainName !== undefined && certificateArn !== undefined && { domain: { name: domainName, certificateArn } }),
    ...(mutualTlsDomainName !== undefined &&
      mutualTlsCertificateArn !== undefined &&
      mutualTlsTrustStore !== undefined && {
        mutualTlsDomain: {
          name: mutualTlsDomainName,
          certificateArn: mutualTlsCertificateArn,
          trustStore: mutualTlsTrustStore,
        },
      }),
  })
  app.synth()
  return { app, foundation, service }
}

/** Ours: shares of the 1,000 executions that an account has by default. */
const USUAL = { dataPlane: 100, triggers: 50 }

function concurrencyOf({ dataPlaneConcurrency, triggersConcurrency, dataPlaneWarm }: DeployOptions): Concurrency {
  const share = (given: string | undefined, usual?: number) =>
    given === undefined ? usual : given === 'none' ? undefined : Number(given)
  return {
    dataPlane: share(dataPlaneConcurrency, USUAL.dataPlane),
    triggers: share(triggersConcurrency, USUAL.triggers),
    warm: share(dataPlaneWarm),
  }
}

/**
 * Unexcused findings of the AWS Solutions rules. Ours: checked after synthesis, not by a plugin, because a plugin's
 * findings end the process differently with each command line, and its warnings do not fail.
 */
export const findingsIn = (app: App): Finding[] =>
  new AwsSolutionsChecks(app)
    .validateScope(app)
    .violations.flatMap(({ ruleName, description, violatingResources }) =>
      violatingResources.map(({ constructPath }) => ({ rule: ruleName, description, construct: constructPath ?? '' })),
    )

/**
 * Ours: out of the 500 resources that CloudFormation allows in one stack; the rest is for resources that options add.
 */
const MAX_RESOURCES = 450

/** A stack, nested or not, and the types of its resources. */
export interface StackSummary {
  /** path of the construct */
  readonly name: string
  readonly types: readonly string[]
}

export const stacksIn = (app: App): StackSummary[] =>
  app.node
    .findAll()
    .filter((construct) => Stack.isStack(construct))
    .map((stack) => {
      const { Resources } = Template.fromStack(stack).toJSON() as { Resources: Record<string, { Type: string }> }
      return { name: stack.node.path, types: Object.values(Resources).map(({ Type }) => Type) }
    })

/** The stacks with more resources than `most`: a deployment with more options could then be refused. */
export const overfull = (stacks: readonly StackSummary[], most = MAX_RESOURCES): string[] =>
  stacks
    .filter(({ types }) => types.length > most)
    .map(({ name, types }) => `${name} has ${types.length} resources; at most ${most} are allowed`)
