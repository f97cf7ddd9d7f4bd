import type { Route } from '../../http/operation.ts'
import { routesOn } from '../../resource/routes.ts'
import { acknowledgeAlarm, alarmResource, clearAlarm } from './alarms.ts'
import { AlarmConfig, AlarmConfigQuery, CreateAlarmConfig, UpdateAlarmConfig } from './model.ts'
import { createRule, deleteRule, getRule, listRules, updateRule } from './rules.ts'

const rules = routesOn({ at: '/v1/audit/alarm-configs', answers: AlarmConfig, reads: 'admins', changes: 'admins' })

/** Rules on audit records, and the alarms that they raise. */
export const routes: readonly Route[] = [
  rules.list('List Alarm Rules', AlarmConfigQuery, listRules),
  rules.create('Create Alarm Rule', CreateAlarmConfig, createRule),
  rules.get('Get Alarm Rule', getRule),
  rules.update('Update Alarm Rule', UpdateAlarmConfig, updateRule),
  rules.remove('Delete Alarm Rule', deleteRule),
  ...alarmResource.routes,
  alarmResource.on.act('acknowledge', 'Acknowledge Alarm', acknowledgeAlarm),
  alarmResource.on.act('clear', 'Clear Alarm', clearAlarm),
]
