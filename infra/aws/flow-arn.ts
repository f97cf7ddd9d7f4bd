import { ArnFormat, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import type { FlowRow } from '../flows.ts'

export const machineName = (row: Pick<FlowRow, 'name'>): string => `keymgr-${row.name}`

/**
 * Address of a flow's state machine, computed from its fixed name. A reference would be circular: functions refer to
 * the machines that they start, and a machine refers to the function that it calls.
 */
export const flowArn = (scope: Construct, row: Pick<FlowRow, 'name'>): string =>
  Stack.of(scope).formatArn({
    service: 'states',
    resource: 'stateMachine',
    resourceName: machineName(row),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
