import { Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'

/**
 * Excuses one finding of the rule checks on this construct and its children. The reason is written next to the excused
 * construct.
 * @param rule id of the rule, with the finding in brackets if a rule has several: `AwsSolutions-IAM5[Resource::*]`
 */
export function excuse(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: rule, reason })
}
