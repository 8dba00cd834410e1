DROP TABLE usage_requests;
DROP TABLE usage_hours;
