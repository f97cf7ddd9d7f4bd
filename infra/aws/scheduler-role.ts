import { Stack } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'

export const SCHEDULER = 'scheduler.amazonaws.com'

/** A role for the schedules of one group of this account only, against the confused deputy. */
export function schedulerRole(scope: Construct, group: string, description: string): Role {
  const stack = Stack.of(scope)
  const sourceArn = stack.formatArn({ service: 'scheduler', resource: 'schedule-group', resourceName: group })
  return new Role(scope, 'Role', {
    description,
    assumedBy: new ServicePrincipal(SCHEDULER, {
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account, 'aws:SourceArn': sourceArn } },
    }),
  })
}
