import type { Route } from '../../http/operation.ts'
import { routesOn } from '../../resource/routes.ts'
import { acknowledgeAlarm, clearAlarm, getAlarm, listAlarms } from './alarms.ts'
import { Alarm, AlarmConfig, AlarmConfigQuery, AlarmQuery, CreateAlarmConfig, UpdateAlarmConfig } from './model.ts'
import { createRule, deleteRule, getRule, listRules, updateRule } from './rules.ts'

const rules = routesOn({ at: '/v1/audit/alarm-configs', answers: AlarmConfig, reads: 'admins', changes: 'admins' })
const alarms = routesOn({ at: '/v1/system/alarms', answers: Alarm, reads: 'admins', changes: 'admins' })

/** Rules over audit records, and the alarms that they turn on. Ours: one alarm can be read by its id. */
export const routes: readonly Route[] = [
  rules.list('List Alarm Rules', AlarmConfigQuery, listRules),
  rules.create('Create Alarm Rule', CreateAlarmConfig, createRule),
  rules.get('Get Alarm Rule', getRule),
  rules.update('Update Alarm Rule', UpdateAlarmConfig, updateRule),
  rules.remove('Delete Alarm Rule', deleteRule),
  alarms.list('List Alarms', AlarmQuery, listAlarms),
  alarms.get('Get Alarm', getAlarm),
  alarms.act('acknowledge', 'Acknowledge Alarm', acknowledgeAlarm),
  alarms.act('clear', 'Clear Alarm', clearAlarm),
]
