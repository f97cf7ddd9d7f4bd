import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { excuse } from './excuse.ts'

/** Grants calls of X-Ray. A separate policy, so that its excuse covers nothing else. */
export function tracePolicy(scope: Construct, actions: readonly `xray:${string}`[], reason: string): Policy {
  const statement = new PolicyStatement({ sid: 'WriteTraces', actions: [...actions], resources: ['*'] })
  const policy = new Policy(scope, 'TracePolicy', { statements: [statement] })
  excuse(policy, 'AwsSolutions-IAM5[Resource::*]', reason)
  return policy
}
