/** Groups of readings on the page; a test compares the names with the schema. */

export const readingGroups: readonly { title: string; names: readonly string[] }[] = [
  { title: 'Battery', names: ['battery_pct', 'battery_v', 'battery_ma', 'charging', 'usb_power'] },
  { title: 'Light and proximity', names: ['light_lux', 'proximity_raw'] },
  {
    title: 'Head',
    names: ['head_yaw_deg', 'head_pitch_deg', 'head_yaw_load_pct', 'head_pitch_load_pct', 'head_yaw_temp_c', 'head_pitch_temp_c', 'head_moving'],
  },
  {
    title: 'Motion and compass',
    names: ['accel_x_g', 'accel_y_g', 'accel_z_g', 'gyro_x_dps', 'gyro_y_dps', 'gyro_z_dps', 'compass_deg'],
  },
  { title: 'Wi-Fi', names: ['wifi_rssi_dbm', 'wifi_ssid', 'ip_address'] },
  { title: 'Memory and clock', names: ['heap_free_kb', 'heap_min_kb', 'psram_free_kb', 'chip_temp_c', 'time_unix_s', 'uptime_s', 'utc_offset_min'] },
];
